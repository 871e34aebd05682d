/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.spi.LoggerSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.Consumer;

/** Stops several things: a failure must not keep the others from being stopped. */
final class GuardedStop {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn");

  private GuardedStop() {}

  static <T> void each(Iterable<T> all, Consumer<? super T> stop) {
    all.forEach(one -> step(() -> stop.accept(one)));
  }

  /** As {@link #each}; they are taken off the list. */
  static <T> void eachOnce(List<T> all, Consumer<? super T> stop) {
    List<T> present = List.copyOf(all);
    all.clear();
    each(present, stop);
  }

  static void step(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      LOGGER.log(Level.WARNING, "a step of stopping the outboxes failed; the others go on", e);
    }
  }
}
