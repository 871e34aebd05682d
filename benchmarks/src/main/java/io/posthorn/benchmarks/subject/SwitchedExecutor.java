/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.TaskExecutor;

/** Runs tasks on a fixed number of threads while it is on, and drops them while it is off. */
final class SwitchedExecutor implements TaskExecutor {
  private static final long STOP_SECONDS = 300;

  private final int threads;
  private volatile @Nullable ExecutorService pool;

  SwitchedExecutor(int threads) {
    this.threads = threads;
  }

  void start() {
    pool = Executors.newFixedThreadPool(threads);
  }

  /** Waits for the tasks that it has. */
  void stop() throws InterruptedException {
    ExecutorService last = requireNonNull(pool, "pool");
    pool = null;
    last.shutdown();
    if (!last.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("Tasks still run after " + STOP_SECONDS + " s");
    }
  }

  @Override
  public void execute(Runnable task) {
    ExecutorService current = pool;
    if (current != null) {
      current.execute(task);
    }
  }
}
