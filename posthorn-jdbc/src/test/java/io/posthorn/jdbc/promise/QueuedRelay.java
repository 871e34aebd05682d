/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import io.posthorn.Posthorn;
import io.posthorn.jdbc.fixture.SteppedRelay;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** A relay that runs step by step, and its workers, which wait until they are run. */
final class QueuedRelay implements AutoCloseable {
  private final Deque<Runnable> workers = new ArrayDeque<>();
  private final SteppedRelay relay;

  QueuedRelay(String name, OrderEffects orders, Consumer<Posthorn.Builder> settings) {
    this.relay =
        new SteppedRelay(
            name,
            orders.store(),
            orders.transactions(),
            orders.database().clock(),
            builder -> {
              builder.relay(options -> options.executor(workers::add));
              settings.accept(builder);
            });
  }

  void step(String duty) {
    relay.steps().step(duty);
  }

  /** Runs the worker that has waited longest, if there is one. */
  void work() {
    Runnable worker = workers.poll();
    if (worker != null) {
      worker.run();
    }
  }

  /** One pass of all duties, then all workers that wait. */
  void runOnce() {
    relay.steps().runOnce();
    workAll();
  }

  private void workAll() {
    while (!workers.isEmpty()) {
      work();
    }
  }

  SteppedRelay relay() {
    return relay;
  }

  /** Ends as it should. */
  void stop() {
    workAll();
    relay.posthorn().stop(Duration.ofSeconds(5));
  }

  @Override
  public void close() {
    relay.close();
  }
}
