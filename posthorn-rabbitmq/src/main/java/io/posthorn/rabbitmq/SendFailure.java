/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ShutdownSignalException;
import io.posthorn.DestinationDownException;
import io.posthorn.PosthornException;
import io.posthorn.RefusedException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a failure of RabbitMQ means. */
final class SendFailure {
  /** Too large (Qpid, RabbitMQ): sending it once more leads to the same. */
  private static final Set<Integer> FOR_GOOD =
      Set.of(AMQP.CONTENT_TOO_LARGE, AMQP.PRECONDITION_FAILED);

  private SendFailure() {}

  static DestinationDownException down(@Nullable Throwable cause) {
    return new DestinationDownException("RabbitMQ cannot be reached: " + why(cause), cause);
  }

  private static DestinationDownException noExchange(AmqpMessage message) {
    return DestinationDownException.of(
        message.exchange(),
        "RabbitMQ has no exchange \"%s\": declare it, or change the route"
            .formatted(message.exchange()),
        null);
  }

  private static DestinationDownException notAllowed(AmqpMessage message, Throwable cause) {
    return DestinationDownException.of(
        message.exchange(),
        "not authorised to publish to exchange \"%s\": grant the user the permission \"write\" for it: %s"
            .formatted(message.exchange(), why(cause)),
        cause);
  }

  /** Of a message that got no answer while others got theirs. */
  static DestinationDownException noAnswer(AmqpMessage message, Duration timeout) {
    return DestinationDownException.of(
        message.exchange(),
        "no answer from RabbitMQ within %d ms about a message to %s, though it answers others"
            .formatted(timeout.toMillis(), message.target()),
        null);
  }

  /** Of a message while others, without an answer, have all channels. */
  static DestinationDownException noChannelLeft(AmqpMessage message) {
    return DestinationDownException.of(
        message.exchange(),
        "no channel is left on the connection to RabbitMQ for a message to %s: others that go alone have no answer yet, or raise channel_max"
            .formatted(message.target()),
        null);
  }

  /** Of a message that the client could not deal with, by a fault of its own. */
  static PosthornException clientFailed(AmqpMessage message, Throwable cause) {
    return new PosthornException(
        "the RabbitMQ client failed with a message to %s".formatted(message.target()), cause);
  }

  static PosthornException returned(AmqpMessage message, String reason) {
    return new PosthornException(
        "RabbitMQ has no queue for %s (%s): bind one, or change the route"
            .formatted(message.target(), reason),
        null);
  }

  static PosthornException notTaken(AmqpMessage message) {
    return new PosthornException(
        "a queue did not take it from %s (nack): it is full and rejects what comes, or it failed"
            .formatted(message.target()),
        null);
  }

  static RefusedException notExpressible(AmqpMessage message, RuntimeException cause) {
    return new RefusedException(
        "it cannot be sent to %s: %s".formatted(message.target(), cause.getMessage()), cause);
  }

  /** Of the only message on a channel that the broker has closed. */
  static Exception channelClosed(AmqpMessage message, ShutdownSignalException signal) {
    int code = closing(signal).map(AMQP.Channel.Close::getReplyCode).orElse(0);
    if (FOR_GOOD.contains(code)) {
      return new RefusedException(
          "RabbitMQ refuses it for %s: %s".formatted(message.target(), why(signal)), signal);
    }
    if (code == AMQP.ACCESS_REFUSED) {
      return notAllowed(message, signal);
    }
    return code == AMQP.NOT_FOUND
        ? noExchange(message)
        : new PosthornException(
            "RabbitMQ did not take it for %s: %s".formatted(message.target(), why(signal)), signal);
  }

  /** Empty if something else than one channel was closed. */
  static Optional<AMQP.Channel.Close> closing(@Nullable Throwable failure) {
    return failure instanceof ShutdownSignalException signal
            && signal.getReason() instanceof AMQP.Channel.Close close
        ? Optional.of(close)
        : Optional.empty();
  }

  private static String why(@Nullable Throwable cause) {
    if (cause == null) {
      return "no reason given";
    }
    return closing(cause)
        .map(close -> close.getReplyCode() + ", " + close.getReplyText())
        .orElseGet(() -> cause.getClass().getSimpleName() + ", " + cause.getMessage());
  }
}
