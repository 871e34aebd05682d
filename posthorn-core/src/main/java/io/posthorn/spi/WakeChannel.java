/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Carries short signals between the processes that share an outbox. Signals may be lost or come
 * twice; they only save waiting. {@link #send} may be called by any thread, {@link #receive} by one
 * at a time.
 *
 * @since 0.1
 */
public interface WakeChannel extends AutoCloseable {
  /** Sends a signal to all listeners, this one included. */
  void send(String signal);

  /** Waits for signals, at most this long. The first call begins to listen. */
  List<String> receive(Duration timeout);

  /**
   * What keeps signals from coming although nothing fails, as far as the channel can find out:
   * {@code a connection pooler …}. It is asked when a signal to oneself has not come back.
   */
  default Optional<String> obstacle() {
    return Optional.empty();
  }

  /** Stops listening and gives the connections back; a later call begins anew. Idempotent. */
  @Override
  void close();
}
