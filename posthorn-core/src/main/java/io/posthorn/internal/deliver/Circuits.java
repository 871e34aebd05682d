/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.internal.memory.Destinations;
import io.posthorn.internal.memory.HandlerLanes;
import io.posthorn.internal.memory.WorkDispatcher;
import io.posthorn.internal.policy.ErrorText;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.internal.run.Listeners;
import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;

/** Opens and closes the circuits of handlers, and says so. Safe to share between threads. */
final class Circuits {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.relay");

  private final String relay;
  private final WorkDispatcher dispatcher;
  private final Listeners listeners;
  private final FailureLog failures;
  private final Ticker ticker;

  Circuits(
      String relay,
      WorkDispatcher dispatcher,
      Listeners listeners,
      FailureLog failures,
      Ticker ticker) {
    this.relay = relay;
    this.failures = failures;
    this.ticker = ticker;
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

  /**
   * A delivery found its destination unavailable, or a part of it.
   *
   * @param destination where the message went
   * @param unavailable what is unavailable. If it is only a part of the destination, such as one
   *     partition of a topic, the messages that go there wait, and the circuit stays closed
   * @return how long the message waits
   */
  Duration unavailable(
      HandlerLanes handler, String destination, String unavailable, Throwable cause) {
    if (!unavailable.equals(destination)) {
      failures.callFailed(
          "a delivery of handler \"%s\" to \"%s\"".formatted(handler.name(), unavailable), cause);
      return handler.destinations().delay(destination, ticker.nanos());
    }
    String error = ErrorText.of(cause);
    Destinations destinations = handler.destinations();
    if (destinations.down(destination, error, ticker.nanos())) {
      LOGGER.log(
          Level.WARNING,
          "[{0}] destination \"{1}\" of handler \"{2}\" is unavailable: {3}. Messages to it wait with their keys, no attempt is counted; single ones are tried until one gets through. Other destinations go on",
          relay,
          destination,
          handler.name(),
          error);
      listeners.tell(
          listener -> listener.destinationUnavailable(handler.name(), destination, cause));
    }
    return destinations.delay(destination, ticker.nanos());
  }

  /** A message got through to one of the handler's destinations. */
  void gotThrough(HandlerLanes handler, String destination) {
    Duration lasted = handler.destinations().back(destination, ticker.nanos()).orElse(null);
    if (lasted != null) {
      LOGGER.log(
          Level.INFO,
          "[{0}] destination \"{1}\" of handler \"{2}\" is back after {3} s",
          relay,
          destination,
          handler.name(),
          lasted.toSeconds());
      listeners.tell(listener -> listener.destinationBack(handler.name(), destination, lasted));
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
