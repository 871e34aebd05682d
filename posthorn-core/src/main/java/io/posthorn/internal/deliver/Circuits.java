/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.internal.memory.HandlerLanes;
import io.posthorn.internal.memory.WorkDispatcher;
import io.posthorn.internal.policy.ErrorText;
import io.posthorn.internal.run.Listeners;
import io.posthorn.spi.LoggerSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;

/** Opens and closes the circuits of handlers, and says so. Safe to share between threads. */
final class Circuits {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.relay");

  private final String relay;
  private final WorkDispatcher dispatcher;
  private final Listeners listeners;

  Circuits(String relay, WorkDispatcher dispatcher, Listeners listeners) {
    this.relay = relay;
    this.dispatcher = dispatcher;
    this.listeners = listeners;
  }

  /** A delivery found the handler's destination down. */
  void down(HandlerLanes handler, Throwable cause) {
    if (dispatcher.destinationDown(handler)) {
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
  void gotThrough(HandlerLanes handler) {
    Duration lasted = dispatcher.destinationBack(handler).orElse(null);
    if (lasted != null) {
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
