/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import static java.util.Objects.requireNonNull;

import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The last overview, taken anew when it is asked for and older than a little while: so it costs the
 * same however many clients watch. While one of them waits for the database, the others get the one
 * before. A failure is shared like an overview. Safe to share between threads.
 */
final class SharedOverview {
  static final Duration FRESH = Duration.ofSeconds(2);

  private final Supplier<JsonObject> source;
  private final Ticker ticker;
  private final Duration patience;
  private final ReentrantLock taking = new ReentrantLock();
  private volatile @Nullable Taken last; // written under taking

  /** One of the two is null. */
  private record Taken(@Nullable String json, @Nullable RuntimeException failure, long at) {
    String get() {
      if (failure != null) {
        throw failure;
      }
      return requireNonNull(json);
    }
  }

  /**
   * @param patience how long to wait for the first one while another thread takes it
   */
  SharedOverview(Supplier<JsonObject> source, Ticker ticker, Duration patience) {
    this.source = source;
    this.ticker = ticker;
    this.patience = patience;
  }

  /**
   * @throws RequestProblem if there is nothing to show yet, and none came in time
   */
  String json() {
    Taken taken = last;
    if (taken == null) {
      awaitTurn();
    } else if (isFresh(taken) || !taking.tryLock()) {
      return taken.get();
    }
    try {
      taken = last;
      if (taken == null || !isFresh(taken)) {
        taken = take();
        last = taken;
      }
      return taken.get();
    } finally {
      taking.unlock();
    }
  }

  private void awaitTurn() {
    boolean mine = false;
    try {
      mine = taking.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!mine) {
      throw new RequestProblem(
              503, "the database has not answered for %s; try again later".formatted(patience))
          .header("Retry-After", "5");
    }
  }

  private Taken take() {
    try {
      return new Taken(Json.text(source.get()), null, ticker.nanos());
    } catch (RuntimeException e) { // whatever it is, those who wait are told the same
      return new Taken(null, e, ticker.nanos());
    }
  }

  private boolean isFresh(Taken taken) {
    return ticker.nanos() - taken.at < FRESH.toNanos();
  }
}
