/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

/**
 * Whether a handler's destination can be reached. When it cannot, nothing is delivered to it but
 * one message at a time, to see whether it is back. Guarded by the memory's lock, but for the
 * state.
 */
final class Circuit {
  /** After a return of the database, probes come so many times as often. */
  private static final int SOON = 20;

  private final long probeNanos;
  private volatile boolean open;
  private boolean probing;
  private long probeAt;
  private long openedAt;
  private long soonUntil;

  Circuit(long probeNanos, long now) {
    this.probeNanos = probeNanos;
    this.soonUntil = now;
  }

  boolean isOpen() {
    return open;
  }

  /**
   * A delivery found the destination down.
   *
   * @return whether that is news
   */
  boolean open(long now) {
    boolean news = !open;
    if (news) {
      openedAt = now;
    }
    open = true;
    probeAt = nextProbe(now);
    return news;
  }

  /** Whether a message may be tried now. */
  boolean mayProbe(long now) {
    return !probing && now - probeAt >= 0;
  }

  void probeBegins() {
    probing = true;
  }

  /** A probe came back, whatever it found. */
  void probeEnds(long now) {
    probing = false;
    probeAt = nextProbe(now);
  }

  /**
   * The database is back, which the destination needs: a message may be tried at once, and for a
   * while soon again, since it may meet a connection that broke with the database.
   */
  void databaseBack(long now) {
    probeAt = now;
    soonUntil = now + probeNanos;
  }

  private long nextProbe(long now) {
    return now + (now - soonUntil < 0 ? probeNanos / SOON : probeNanos);
  }

  /**
   * A probe got through.
   *
   * @return how long it was open
   */
  long close(long now) {
    open = false;
    return now - openedAt;
  }

  long nanosUntilProbe(long now) {
    return probing ? Long.MAX_VALUE : Math.max(0, probeAt - now);
  }
}
