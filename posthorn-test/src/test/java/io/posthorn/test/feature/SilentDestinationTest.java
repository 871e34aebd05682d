/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.Route;
import io.posthorn.spi.Outgoing;
import io.posthorn.spi.Sender;
import io.posthorn.test.InMemorySender;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Destinations that never answer leave room in memory for messages to others. */
class SilentDestinationTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int WINDOW_MESSAGES = 120;
  private static final long WINDOW_BYTES = 1 << 20;

  private final Scene scene = new Scene(4);
  private final InMemorySender silent = new InMemorySender();
  private final InMemorySender healthy = new InMemorySender();

  private Posthorn start() {
    silent.holdAnswers();
    Sender sender =
        message -> (message.destination().equals("healthy") ? healthy : silent).send(message);
    return Posthorn.inOneProcess(scene.store(), scene.transactions())
        .sender("kafka", sender)
        .route(Route.type("t").to("kafka", "{header.to}"))
        .route(Route.type("unnamed").to("kafka", delivery -> "")) // RabbitMQ's default exchange
        .relay(relay -> relay.name("b").windowMessages(WINDOW_MESSAGES).windowBytes(WINDOW_BYTES))
        .start();
  }

  private void publish(Posthorn posthorn, int count, IntFunction<Message.Builder> message) {
    scene.publish(
        posthorn,
        IntStream.range(0, count).mapToObj(i -> message.apply(i).build()).toArray(Message[]::new));
  }

  private static Message.Builder to(String destination, int bytes) {
    return Message.of("t").header("to", destination).payload(new byte[bytes]);
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.onSpinWait();
    }
  }

  private void answerAll(int messages) {
    await(
        () -> {
          silent.answerAll();
          scene.clock().advance(Duration.ofMillis(1)); // some wait for their time
          return silent.sent().size() == messages;
        });
  }

  /** Those to silent destinations come first, and are more than fit into memory. */
  @ParameterizedTest
  @CsvSource({"1, 10, true", "1, 10, false", "1, 20000, true", "1, 300000, false", "3, 10, true"})
  void silentOnesLeaveRoomForTheOthers(int silentDestinations, int bytes, boolean keyed) {
    try (Posthorn posthorn = start()) {
      int count = 600;
      publish(
          posthorn,
          count,
          i -> {
            Message.Builder message = to("silent-" + i % silentDestinations, bytes);
            return keyed ? message.key("k" + i) : message;
          });
      publish(posthorn, 300, i -> to("healthy", bytes).key("h" + i % 30));

      await(() -> healthy.sent().size() == 300);
      assertThat(silent.sent()).isEmpty();
      assertThat(silent.underWay()).extracting(Outgoing::destination).isNotEmpty();
      answerAll(count);
    }
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  /** Each sender is a handler of its own; they share the memory. */
  @ParameterizedTest
  @ValueSource(ints = {10, 20_000})
  void silentDestinationsOfSeveralSendersLeaveRoomToo(int bytes) {
    int silentSenders = 3;
    silent.holdAnswers();
    Posthorn.Builder builder =
        Posthorn.inOneProcess(scene.store(), scene.transactions())
            .sender("healthy", healthy)
            .route(Route.type("t").to("healthy", "{header.to}"))
            .relay(relay -> relay.windowMessages(WINDOW_MESSAGES).windowBytes(WINDOW_BYTES));
    for (int i = 0; i < silentSenders; i++) {
      builder.sender("silent-" + i, silent).route(Route.type("t" + i).to("silent-" + i, "topic"));
    }
    try (Posthorn posthorn = builder.start()) {
      int count = 600;
      publish(
          posthorn,
          count,
          i -> Message.of("t" + i % silentSenders).key("k" + i).payload(new byte[bytes]));
      publish(posthorn, 300, i -> to("healthy", bytes).key("h" + i % 30));

      await(() -> healthy.sent().size() == 300);
      assertThat(silent.sent()).isEmpty();
      answerAll(count);
    }
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aDestinationWithAnEmptyNameLeavesRoomToo() {
    try (Posthorn posthorn = start()) {
      publish(posthorn, 600, i -> Message.of("unnamed").payload(new byte[10]));
      publish(posthorn, 300, i -> to("healthy", 10).key("h" + i % 30));

      await(() -> healthy.sent().size() == 300);
      assertThat(silent.underWay()).isNotEmpty();
      answerAll(600);
    }
  }

  /** One in flight at a time is always allowed, whatever its size. */
  @Test
  void messagesThatAreLargerThanMemoryAreSentOneByOne() {
    try (Posthorn posthorn = start()) {
      publish(posthorn, 3, i -> to("silent", (int) WINDOW_BYTES).key("k" + i));
      await(() -> silent.underWay().size() == 1);
      answerAll(3);
    }
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }
}
