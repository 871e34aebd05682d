/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The last overview, taken anew when it is asked for and older than a little while: so it costs the
 * same however many clients watch. While one of them waits for the database, the others get the one
 * before. Safe to share between threads.
 */
final class SharedOverview {
  static final Duration FRESH = Duration.ofSeconds(2);

  private final Supplier<JsonObject> source;
  private final Ticker ticker;
  private final ReentrantLock taking = new ReentrantLock();
  private volatile @Nullable Taken last; // written under taking

  private record Taken(String json, long at) {}

  SharedOverview(Supplier<JsonObject> source, Ticker ticker) {
    this.source = source;
    this.ticker = ticker;
  }

  String json() {
    Taken taken = last;
    if (taken == null) {
      taking.lock(); // there is nothing to show yet
    } else if (isFresh(taken) || !taking.tryLock()) {
      return taken.json;
    }
    try {
      taken = last;
      if (taken == null || !isFresh(taken)) {
        taken = new Taken(Json.text(source.get()), ticker.nanos());
        last = taken;
      }
      return taken.json;
    } finally {
      taking.unlock();
    }
  }

  private boolean isFresh(Taken taken) {
    return ticker.nanos() - taken.at < FRESH.toNanos();
  }
}
