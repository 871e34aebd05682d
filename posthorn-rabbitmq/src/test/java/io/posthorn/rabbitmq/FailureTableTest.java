/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.BlockedCallback;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.posthorn.DestinationDownException;
import io.posthorn.RefusedException;
import io.posthorn.servers.RabbitServer;
import io.posthorn.spi.Outgoing;
import io.posthorn.test.MutableClock;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The table "what happened" of docs/brokers.md, line by line, on a real broker. That other messages
 * are not touched is shown by {@link RabbitSenderTest}, and there, with {@code -Plong}, that a
 * broker short of memory says so.
 */
@Timeout(120)
class FailureTableTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  /** With a clock that the test moves: a slow broker is not a silent one. */
  private static final Duration SHORT = Duration.ofMillis(500);

  /** What a relay makes of a failure. */
  private enum Kind {
    REFUSED_FOR_GOOD,
    REFUSED_THIS_TIME,
    EXCHANGE_UNAVAILABLE,
    BROKER_UNAVAILABLE;

    static Kind of(Throwable failure) {
      if (failure instanceof RefusedException) {
        return REFUSED_FOR_GOOD;
      }
      if (!(failure instanceof DestinationDownException down)) {
        return REFUSED_THIS_TIME;
      }
      return down.destination().isPresent() ? EXCHANGE_UNAVAILABLE : BROKER_UNAVAILABLE;
    }
  }

  /** How a message fails. */
  @FunctionalInterface
  private interface Happening {
    Throwable failure() throws Exception;
  }

  /**
   * @param line the first column of the table
   */
  private record Row(String line, String what, Kind kind, Happening happening) {
    @Override
    public String toString() {
      return line + " (" + what + ")";
    }
  }

  static List<Row> rows() {
    String lost = "the connection is lost, cannot be made, or the user is not let in";
    String silence = "no answer within the timeout";
    String noQueue = "no queue for the message, or a queue that is full rejects it (nack)";
    String tooLarge = "too large, a name of more than 255 bytes, headers that fill a frame";
    return List.of(
        new Row(lost, "lost", Kind.BROKER_UNAVAILABLE, FailureTableTest::connectionIsCut),
        new Row(lost, "not made", Kind.BROKER_UNAVAILABLE, FailureTableTest::nobodyAnswers),
        new Row(lost, "not let in", Kind.BROKER_UNAVAILABLE, FailureTableTest::wrongPassword),
        new Row(
            "the broker is short of memory or disk and blocks its publishers",
            "blocked",
            Kind.BROKER_UNAVAILABLE,
            FailureTableTest::blocked),
        new Row(silence, "of all", Kind.BROKER_UNAVAILABLE, FailureTableTest::nothingIsAnswered),
        new Row(silence, "of one", Kind.EXCHANGE_UNAVAILABLE, FailureTableTest::oneIsNotAnswered),
        new Row(
            "its exchange does not exist",
            "missing",
            Kind.EXCHANGE_UNAVAILABLE,
            () -> failure(to("no-such-exchange", "x", 1))),
        new Row(
            "no permission for the exchange (403)",
            "an internal one",
            Kind.EXCHANGE_UNAVAILABLE,
            FailureTableTest::internalExchange),
        new Row(noQueue, "none", Kind.REFUSED_THIS_TIME, () -> failure(to("", "no-such-queue", 1))),
        new Row(noQueue, "full", Kind.REFUSED_THIS_TIME, FailureTableTest::fullQueue),
        new Row(
            tooLarge,
            "message",
            Kind.REFUSED_FOR_GOOD,
            () -> failure(to("", "any", 2 * Exchange.MAX_MESSAGE_BYTES))),
        new Row(tooLarge, "name", Kind.REFUSED_FOR_GOOD, () -> failure(to("", "k".repeat(256), 1))),
        new Row(tooLarge, "headers", Kind.REFUSED_FOR_GOOD, FailureTableTest::largeHeaders),
        new Row(
            "an `Error` or a fault of the client",
            "an error",
            Kind.REFUSED_THIS_TIME,
            FailureTableTest::brokenClient));
  }

  private static Outgoing to(String exchange, String routingKey, int bytes) {
    return message(exchange, routingKey, Map.of(), bytes);
  }

  private static Outgoing message(
      String exchange, String routingKey, Map<String, String> headers, int bytes) {
    return new Outgoing(
        UUID.randomUUID(),
        "order",
        exchange,
        routingKey,
        "k",
        headers,
        "text/plain",
        "1".repeat(bytes).getBytes(UTF_8),
        Instant.EPOCH);
  }

  private static Throwable failure(Outgoing message) throws Exception {
    try (RabbitSender sender = RabbitSender.connect(Exchange.factory(), LIMIT)) {
      return failure(sender, message);
    }
  }

  /** Null if it was confirmed. */
  private static Throwable failure(RabbitSender sender, Outgoing message) throws Exception {
    try {
      return failure(sender.send(message));
    } catch (RefusedException e) {
      return e;
    }
  }

  private static Throwable failure(CompletionStage<?> sending) throws Exception {
    Throwable failure =
        sending
            .handle((any, thrown) -> thrown)
            .toCompletableFuture()
            .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    return failure instanceof CompletionException ? failure.getCause() : failure;
  }

  private static Throwable failureOver(Callable<Connection> connections) throws Exception {
    try (RabbitSender sender = RabbitSender.using(connections, LIMIT)) {
      return failure(sender, to("", "any", 1));
    }
  }

  private static Throwable nobodyAnswers() throws Exception {
    return failureOver(
        () -> {
          throw new ConnectException("refused");
        });
  }

  private static Throwable wrongPassword() throws Exception {
    ConnectionFactory factory = Exchange.factory();
    factory.setPassword("wrong");
    return failureOver(factory::newConnection);
  }

  private static Throwable connectionIsCut() throws Exception {
    Exchange exchange = Exchange.create();
    BlockingQueue<Socket> sockets = new LinkedBlockingQueue<>();
    ConnectionFactory factory = Exchange.factory();
    factory.setSocketConfigurator(sockets::add);
    try (RabbitSender sender = RabbitSender.connect(factory, LIMIT)) {
      assertThat(failure(sender, to(exchange.name(), null, 1))).isNull();
      Exchange.broker().freeze();
      try {
        CompletionStage<?> underWay = sender.send(to(exchange.name(), null, 1));
        sockets.take().close();
        return failure(underWay);
      } finally {
        Exchange.broker().thaw();
      }
    }
  }

  private static Throwable blocked() throws Exception {
    Exchange exchange = Exchange.create();
    AtomicReference<BlockedCallback> blocking = new AtomicReference<>();
    try (RabbitSender sender =
        RabbitSender.using(() -> watched(Exchange.factory().newConnection(), blocking), LIMIT)) {
      assertThat(failure(sender, to(exchange.name(), null, 1))).isNull();
      blocking.get().handle("low on disk");
      Throwable failure = failure(sender, to(exchange.name(), null, 1));
      assertThat(failure).hasMessageContaining("low on disk");
      return failure;
    }
  }

  private static Connection watched(
      Connection connection, AtomicReference<BlockedCallback> blocking) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("addBlockedListener")) {
                blocking.set((BlockedCallback) arguments[0]);
              }
              return method.invoke(connection, arguments);
            });
  }

  private static Throwable nothingIsAnswered() throws Exception {
    Exchange exchange = Exchange.create();
    MutableClock clock = new MutableClock();
    try (RabbitSender sender =
        RabbitSender.using(() -> Exchange.factory().newConnection(), SHORT, clock.ticker())) {
      assertThat(failure(sender, to(exchange.name(), null, 1))).isNull();
      Exchange.broker().freeze();
      try {
        CompletionStage<?> unanswered = sender.send(to(exchange.name(), null, 1));
        clock.advance(SHORT);
        return failure(unanswered);
      } finally {
        Exchange.broker().thaw();
      }
    }
  }

  private static Throwable oneIsNotAnswered() throws Exception {
    Exchange stuck = Exchange.create();
    Exchange healthy = Exchange.create();
    MutableClock clock = new MutableClock();
    try (RabbitSender sender =
        RabbitSender.using(
            () -> InterceptedChannels.silenced(Exchange.factory().newConnection(), stuck.name()),
            SHORT,
            clock.ticker())) {
      CompletionStage<?> unanswered = sender.send(to(stuck.name(), null, 1));
      clock.advance(SHORT.dividedBy(2));
      assertThat(failure(sender, to(healthy.name(), null, 1))).isNull();
      clock.advance(SHORT.dividedBy(2));
      return failure(unanswered);
    }
  }

  /** Nobody may publish to one. */
  private static Throwable internalExchange() throws Exception {
    assumeTrue(Exchange.broker() instanceof RabbitServer, "the stand-in has none");
    String internal = "internal-" + UUID.randomUUID();
    Exchange.run(
        channel -> channel.exchangeDeclare(internal, "fanout", false, false, true, Map.of()));
    return failure(to(internal, null, 1));
  }

  private static Throwable fullQueue() throws Exception {
    assumeTrue(Exchange.broker() instanceof RabbitServer, "the stand-in has none");
    Exchange full = Exchange.create(Map.of("x-max-length", 1, "x-overflow", "reject-publish"));
    assertThat(failure(to(full.name(), null, 1))).isNull();
    return failure(to(full.name(), null, 1));
  }

  private static Throwable largeHeaders() throws Exception {
    return failure(message("", "any", Map.of("large", "x".repeat(500_000)), 1));
  }

  private static Throwable brokenClient() throws Exception {
    return failureOver(
        () ->
            InterceptedChannels.of(
                Exchange.factory().newConnection(),
                (channel, method, arguments) -> {
                  if (method.getName().equals("basicPublish")) {
                    throw new NoClassDefFoundError("broken");
                  }
                  return method.invoke(channel, arguments);
                }));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void whatHappensIsOfTheKindThatTheTableGives(Row row) throws Exception {
    assertThat(Kind.of(row.happening.failure())).isEqualTo(row.kind);
  }

  @Test
  void eachLineOfTheTableIsTested() throws IOException {
    Set<String> table =
        Files.readAllLines(Path.of("..", "docs", "brokers.md")).stream()
            .dropWhile(line -> !line.startsWith("| what happened |"))
            .skip(2)
            .takeWhile(line -> line.startsWith("|"))
            .map(line -> line.substring(1, line.indexOf('|', 1)).strip())
            .collect(Collectors.toCollection(LinkedHashSet::new));

    assertThat(table).isNotEmpty();
    assertThat(rows().stream().map(Row::line).collect(Collectors.toSet())).isEqualTo(table);
  }
}
