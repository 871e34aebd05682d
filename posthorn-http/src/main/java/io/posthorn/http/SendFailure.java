/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.http;

import io.posthorn.DestinationDownException;
import io.posthorn.PosthornException;
import io.posthorn.RefusedException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/** What an answer of an endpoint, or the lack of one, means. Never has anything of a body in it. */
final class SendFailure {
  private static final Set<Integer> NOT_AUTHORISED = Set.of(401, 403, 407);
  private static final Set<Integer> NOT_THIS_TIME = Set.of(408, 425);

  /** The endpoint is busy, or what stands before it says that it is not there. */
  private static final Set<Integer> UNAVAILABLE = Set.of(429, 502, 503, 504);

  private SendFailure() {}

  /** Whether a status may come with a time to wait. */
  static boolean mayAskToWait(int status) {
    return status == 429 || status == 503;
  }

  /** Empty: the message was accepted. */
  static Optional<Exception> of(String destination, int status) {
    if (status >= 200 && status < 300) {
      return Optional.empty();
    }
    String answered = "\"%s\" answered %d".formatted(destination, status);
    if (UNAVAILABLE.contains(status)) {
      return Optional.of(down(destination, answered));
    }
    if (NOT_AUTHORISED.contains(status)) {
      return Optional.of(
          down(
              destination,
              answered + ": it does not accept the secret or the authorization header"));
    }
    if (status >= 300 && status < 400) {
      return Optional.of(
          down(
              destination, answered + ": redirects are not followed; change the URL of the route"));
    }
    return Optional.of(
        status >= 400 && status < 500 && !NOT_THIS_TIME.contains(status)
            ? new RefusedException(answered, null)
            : new PosthornException(answered, null));
  }

  /** The endpoint said how long to wait. */
  static DestinationDownException askedToWait(String destination, Duration left) {
    return down(
        destination,
        "\"%s\" asked to be sent nothing for %d s more (Retry-After)"
            .formatted(destination, Math.max(1, left.toSeconds())));
  }

  /** Of a message that others to the same host kept waiting. */
  static DestinationDownException tooBusy(String destination, Duration timeout) {
    return down(
        destination,
        "\"%s\" was busy with earlier messages for nearly %d s"
            .formatted(destination, timeout.toSeconds()));
  }

  /** Of a request that got no status. */
  static Exception of(String destination, Throwable failure, Duration requestTimeout) {
    boolean connected = !(failure instanceof HttpConnectTimeoutException);
    if (failure instanceof TimeoutException
        || (failure instanceof HttpTimeoutException && connected)) {
      return DestinationDownException.of(
          destination,
          "\"%s\" did not answer within %d ms".formatted(destination, requestTimeout.toMillis()),
          failure);
    }
    if (failure instanceof IOException || failure instanceof UnresolvedAddressException) {
      return DestinationDownException.of(
          destination,
          "\"%s\" cannot be reached: %s".formatted(destination, why(failure)),
          failure);
    }
    return new PosthornException(
        "the HTTP client failed with a message to \"%s\"".formatted(destination), failure);
  }

  /**
   * Whether the connection broke before there was an answer, as one does that the other side closed
   * at the moment when it was used again.
   */
  static boolean isBrokenConnection(Throwable failure) {
    return failure instanceof IOException
        && !(failure instanceof ConnectException
            || failure instanceof HttpTimeoutException
            || failure instanceof SSLException);
  }

  static DestinationDownException down(String destination, String text) {
    return DestinationDownException.of(destination, text, null);
  }

  private static String why(Throwable failure) {
    if (failure instanceof ConnectException) {
      return "nobody accepts connections there";
    }
    Throwable cause = failure;
    while (cause.getMessage() == null && cause.getCause() != null) {
      cause = cause.getCause();
    }
    String name = cause.getClass().getSimpleName();
    return cause.getMessage() == null ? name : name + ", " + cause.getMessage();
  }
}
