/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The destination of a handler cannot be reached. Thrown by a handler, it costs the message no
 * attempt, even if the handler was interrupted by its time limit: the handler's circuit opens, its
 * messages wait, and single ones are tried until one gets through.
 *
 * <p>One that {@linkplain #of names a destination}, such as a topic or an exchange, concerns only
 * the messages that go there: their lanes wait, and the handler goes on with the others.
 *
 * @since 0.1
 */
public class DestinationDownException extends PosthornException {
  private static final long serialVersionUID = 1L;

  private final @Nullable String destination;

  /**
   * @param cause null if there is none
   */
  public DestinationDownException(String message, @Nullable Throwable cause) {
    this(null, message, cause);
  }

  private DestinationDownException(
      @Nullable String destination, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.destination = destination;
  }

  /**
   * One of several destinations is unavailable.
   *
   * @param destination as of {@link io.posthorn.spi.Outgoing#destination}
   * @param cause null if there is none
   */
  public static DestinationDownException of(
      String destination, String message, @Nullable Throwable cause) {
    return new DestinationDownException(requireNonNull(destination, "destination"), message, cause);
  }

  /** The only destination that is unavailable; empty: all that the handler sends to. */
  public Optional<String> destination() {
    return Optional.ofNullable(destination);
  }
}
