/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.internal.run.Listeners;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;

/** Opens and closes the circuits of handlers, and says so. Safe to share between threads. */
final class Circuits {
  private static final Logger LOGGER = System.getLogger("io.posthorn.relay");

  private final String relay;
  private final Workload workload;
  private final Listeners listeners;

  Circuits(String relay, Workload workload, Listeners listeners) {
    this.relay = relay;
    this.workload = workload;
    this.listeners = listeners;
  }

  /** A delivery found the handler's destination down. */
  void down(HandlerQueue handler, Throwable cause) {
    boolean news = workload.locked(() -> handler.circuit.open(workload.ticker.nanos()));
    if (news) {
      LOGGER.log(
          Level.WARNING,
          "[{0}] the destination of handler \"{1}\" is down: {2}. Its messages wait, no attempt is counted; single ones are tried until one gets through",
          relay,
          handler.name(),
          ErrorText.of(cause));
      listeners.tell(listener -> listener.circuitOpened(handler.name(), cause));
    }
  }

  /** A probe got through. */
  void gotThrough(HandlerQueue handler) {
    long open =
        workload.locked(
            () -> handler.circuit.isOpen() ? handler.circuit.close(workload.ticker.nanos()) : -1L);
    if (open >= 0) {
      Duration lasted = Duration.ofNanos(open);
      LOGGER.log(
          Level.INFO,
          "[{0}] the destination of handler \"{1}\" is back after {2} s",
          relay,
          handler.name(),
          lasted.toSeconds());
      listeners.tell(listener -> listener.circuitClosed(handler.name(), lasted));
    }
  }
}
