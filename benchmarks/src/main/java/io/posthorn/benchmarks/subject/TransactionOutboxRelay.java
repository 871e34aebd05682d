/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The threads of Transaction Outbox: a pool that handles what the process itself has committed, and
 * one that flushes the rest into the same pool.
 */
final class TransactionOutboxRelay {
  static final int THREADS = 20;
  static final int FLUSH_BATCH_SIZE = 4_096;

  private static final long PAUSE_MILLIS = 1_000;
  private static final long PAUSE_WHEN_FULL_MILLIS = 5;

  private final ThreadPoolExecutor executor =
      new ThreadPoolExecutor(THREADS, THREADS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
  private final TransactionOutbox outbox;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread flusher = new Thread(this::flush, "transaction-outbox-flush");

  TransactionOutboxRelay(Function<Submitter, TransactionOutbox> outbox) {
    this.outbox = outbox.apply(Submitter.withExecutor(executor));
  }

  TransactionOutbox outbox() {
    return outbox;
  }

  void start() {
    flusher.start();
  }

  void stop() throws InterruptedException {
    stopped.countDown();
    flusher.join(TimeUnit.SECONDS.toMillis(30));
    executor.shutdown();
    executor.awaitTermination(60, TimeUnit.SECONDS);
  }

  private void flush() {
    try {
      long pause = 0;
      while (!stopped.await(pause, TimeUnit.MILLISECONDS)) {
        pause = flushOnce();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Keeps the pool busy but not flooded: what waits there too long would be flushed again. */
  private long flushOnce() {
    if (executor.getQueue().size() >= FLUSH_BATCH_SIZE) {
      return PAUSE_WHEN_FULL_MILLIS;
    }
    return outbox.flush() ? 0 : PAUSE_MILLIS;
  }
}
