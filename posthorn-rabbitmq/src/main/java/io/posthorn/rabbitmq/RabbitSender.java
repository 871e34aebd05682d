/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import static java.util.Objects.requireNonNull;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.posthorn.spi.Outgoing;
import io.posthorn.spi.Sender;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;

/**
 * Sends messages to RabbitMQ: the destination is the exchange ("" is the default one), the routing
 * key is the route's or else the message's type, and a message counts as delivered when the broker
 * has confirmed it. Safe to share between threads; sending never blocks.
 *
 * <pre>{@code
 * var factory = new ConnectionFactory();
 * factory.setHost("localhost");
 * try (var rabbit = RabbitSender.connect(factory);
 *     var posthorn = Posthorn.inOneProcess(store, transactions)
 *         .sender("rabbit", rabbit)
 *         .route(Route.type("order-placed").to("rabbit", "orders"))
 *         .start()) {
 *   ...
 * }
 * }</pre>
 *
 * <p>Messages are persistent and mandatory: one that reaches no queue has failed, as one that a
 * queue does not take, and both are tried again by the retry policy. What is too large is refused
 * for good. An exchange that is missing, or closed to the user, holds its own messages only, and
 * costs no attempt. Exchanges, queues and bindings are the application's to declare.
 *
 * <p>A message has 120 s by default, after which its exchange is taken for unavailable; if the
 * broker has answered nothing else meanwhile, the broker for down and its connection for useless.
 *
 * @since 0.1
 */
public final class RabbitSender implements Sender, AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final Publisher publisher;
  private final Duration timeout;

  private RabbitSender(Callable<Connection> connections, Duration timeout, Ticker ticker) {
    if (timeout.compareTo(Duration.ofMillis(100)) < 0) {
      throw new IllegalArgumentException(
          "timeout was " + timeout.toMillis() + " ms but must be at least 100 ms");
    }
    this.timeout = timeout;
    this.publisher = new Publisher(connections, timeout, ticker);
  }

  /** As {@link #connect(ConnectionFactory, Duration)} with 120 s. */
  public static RabbitSender connect(ConnectionFactory factory) {
    return connect(factory, TIMEOUT);
  }

  /**
   * A sender with a connection of its own, which is made when it is first needed and after each
   * loss.
   *
   * @param factory is copied: without automatic recovery, which the sender does itself, with 10 s
   *     at most for connecting, and with heartbeats every 10 s unless it says something else than
   *     the client's default
   * @param timeout how long a message may be under way; at least 100 ms
   */
  public static RabbitSender connect(ConnectionFactory factory, Duration timeout) {
    ConnectionFactory own = OwnFactory.of(requireNonNull(factory, "factory"));
    return using(() -> own.newConnection("posthorn"), timeout);
  }

  /**
   * A sender whose connection is made by somebody else, for example to one of several addresses.
   *
   * @param connections makes a connection for this sender alone, which closes it; called again
   *     after each loss, so that it needs no automatic recovery. It should give up in time, as
   *     nothing is sent meanwhile
   * @param timeout how long a message may be under way; at least 100 ms
   */
  public static RabbitSender using(Callable<Connection> connections, Duration timeout) {
    return using(connections, timeout, Ticker.system());
  }

  /**
   * @param ticker tells how long a message has been under way
   */
  static RabbitSender using(Callable<Connection> connections, Duration timeout, Ticker ticker) {
    return new RabbitSender(
        requireNonNull(connections, "connections"), requireNonNull(timeout, "timeout"), ticker);
  }

  @Override
  public CompletionStage<?> send(Outgoing message) {
    return publisher.send(AmqpMessage.of(message));
  }

  @Override
  public Duration timeout() {
    return timeout;
  }

  @Override
  public String cloudEventsPrefix() {
    return "cloudEvents:";
  }

  /** Closes the connection. What is under way then ends as if the broker were down. */
  @Override
  public void close() {
    publisher.close();
  }
}
