/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The circuits of a handler's destinations: topics, exchanges, addresses. While one is open, single
 * messages are tried; the others wait in the deferred table with their lanes. Safe to share between
 * threads.
 */
public final class Destinations {
  private static final Duration MAX_DELAY = Duration.ofSeconds(30);

  /** A message waits for this part of the time for which its destination has been unavailable. */
  private static final int DELAY_PART = 4;

  /** Names of destinations may be made of values of messages. */
  private static final int MAX_OPEN = 1_000;

  private final long probeNanos;
  private final Map<String, Open> open = new ConcurrentHashMap<>();

  /**
   * A destination that is unavailable.
   *
   * @param reason what it was found so by
   * @param probeAt when a message may be tried
   */
  private record Open(long since, String reason, AtomicLong probeAt) {}

  /** Why a message waits, and for how long. */
  public record Wait(String reason, Duration delay) {}

  Destinations(Duration probeInterval) {
    this.probeNanos = probeInterval.toNanos();
  }

  /**
   * A delivery found this destination unavailable; whether that is news.
   *
   * @param reason for the messages that wait for it
   */
  public boolean down(String destination, String reason, long now) {
    Open known = open.get(destination);
    if (known != null) {
      known.probeAt.set(now + probeNanos);
      return false;
    }
    if (open.size() >= MAX_OPEN) {
      open.clear(); // they are found out again
    }
    Open opened = new Open(now, reason, new AtomicLong(now + probeNanos));
    return open.putIfAbsent(destination, opened) == null;
  }

  /** A message got through: for how long it was unavailable; empty if it was not. */
  public Optional<Duration> back(String destination, long now) {
    Open closed = open.isEmpty() ? null : open.remove(destination);
    return closed == null ? Optional.empty() : Optional.of(Duration.ofNanos(now - closed.since));
  }

  /** Why a message to this destination has to wait; empty if it may be tried. */
  public Optional<Wait> mustWait(String destination, long now) {
    Open known = open.isEmpty() ? null : open.get(destination);
    if (known == null || mayProbe(known, now)) {
      return Optional.empty();
    }
    return Optional.of(new Wait(known.reason, delay(destination, now)));
  }

  /** The next one is tried when this one has failed, or after a while without an answer. */
  private boolean mayProbe(Open known, long now) {
    long at = known.probeAt.get();
    long next = now + Math.max(probeNanos, MAX_DELAY.toNanos());
    return now - at >= 0 && known.probeAt.compareAndSet(at, next);
  }

  /** How long a message waits before it is tried again. */
  public Duration delay(String destination, long now) {
    Open known = open.get(destination);
    long part = known == null ? 0 : (now - known.since) / DELAY_PART;
    return Duration.ofNanos(Math.max(probeNanos, Math.min(part, MAX_DELAY.toNanos())));
  }

  /** Those that are unavailable. */
  Set<String> unavailable() {
    return Set.copyOf(open.keySet());
  }
}
