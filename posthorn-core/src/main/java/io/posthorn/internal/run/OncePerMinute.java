/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.run;

import io.posthorn.spi.Ticker;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Says when to report what happens again and again: the first time, then once a minute with how
 * many went unreported. Safe to share between threads.
 *
 * @param <K> what counts as the same
 */
final class OncePerMinute<K> {
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  private static final int MAX_KINDS = 200;

  private final Ticker ticker;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<K, Reported> reported = new Newest<>(MAX_KINDS); // guarded by lock

  /** When it was reported last, and how many came since. */
  private record Reported(long at, int since) {}

  OncePerMinute(Ticker ticker) {
    this.ticker = ticker;
  }

  /** How many went unreported, if it is time for a report; else empty. */
  OptionalInt count(K kind) {
    lock.lock();
    try {
      long now = ticker.nanos();
      Reported last = reported.get(kind);
      if (last != null && now - last.at < MINUTE) {
        reported.put(kind, new Reported(last.at, last.since + 1));
        return OptionalInt.empty();
      }
      reported.put(kind, new Reported(now, 0));
      return OptionalInt.of(last == null ? 0 : last.since);
    } finally {
      lock.unlock();
    }
  }

  /** The end of a line that reports one of many. */
  static String more(int unreported) {
    return unreported == 0 ? "" : " (and " + unreported + " more since the last report)";
  }

  /** Forgets the oldest, so that what is kept has an end. */
  static final class Newest<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1L;

    private final int most;

    Newest(int most) {
      this.most = most;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
      return size() > most;
    }
  }
}
