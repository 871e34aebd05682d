/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.DestinationDownException;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.Route;
import io.posthorn.spi.DeliveryInterceptor;
import io.posthorn.spi.Outgoing;
import io.posthorn.spi.Sender;
import io.posthorn.test.DeliveryLog;
import io.posthorn.test.InMemorySender;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How many messages are under way at once, and what a failed one means for the others. */
class SendingTest {
  private final Scene scene = new Scene(4);
  private final InMemorySender sender = new InMemorySender();

  @AfterEach
  void stop() {
    scene.close();
  }

  private SteppedRelay relay() {
    return relay(sender, () -> {});
  }

  private static List<String> texts(List<Outgoing> messages) {
    return messages.stream().map(message -> new String(message.payload(), UTF_8)).toList();
  }

  private List<String> sent(String key) {
    return texts(sender.sent().stream().filter(message -> key.equals(message.key())).toList());
  }

  @Test
  void ofEachKeyOneIsUnderWayAndTheNextGoesWhenItIsConfirmed() throws Exception {
    sender.holdAnswers();
    try (Posthorn posthorn =
        Posthorn.inOneProcess(scene.store(), scene.transactions())
            .sender("kafka", sender)
            .route(Route.type("t").to("kafka"))
            .relay(relay -> relay.name("b").workers(1))
            .start()) {
      scene.publish(
          posthorn,
          message("t", "k", "k1"),
          message("t", "k", "k2"),
          message("t", "l", "l1"),
          message("t", null, "n1"),
          message("t", null, "n2"));

      awaitUnderWay("k1", "l1", "n1", "n2");
      sender.answerAll();
      awaitUnderWay("k2");
      sender.answerAll();
    }
    assertThat(sent("k")).containsExactly("k1", "k2");
  }

  private void awaitUnderWay(String... texts) throws InterruptedException {
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!List.of(texts).equals(texts(sender.underWay()).stream().sorted().toList())) {
      assertThat(System.nanoTime())
          .as("under way: %s, wanted: %s", texts(sender.underWay()), List.of(texts))
          .isLessThan(end);
      Thread.onSpinWait();
    }
  }

  @Test
  void whatIsRefusedBecomesADeadLetterAndItsKeyGoesOnInOrder() {
    sender.refuse(message -> new String(message.payload(), UTF_8).equals("k2"));
    SteppedRelay relay = relay();
    relay.publish(
        message("t", "k", "k1"),
        message("t", "k", "k2"),
        message("t", "k", "k3"),
        message("t", "l", "l1"));

    relay.drain();

    assertThat(sent("k")).containsExactly("k1", "k3");
    assertThat(sent("l")).containsExactly("l1");
    assertThat(scene.rows().dead()).hasSize(1);
    assertThat(scene.rows().dead().get(0).attempts()).isEqualTo(1);
    assertThat(scene.rows().dead().get(0).error()).contains("told to refuse it");
  }

  @Test
  void whatFailsIsTriedAgainBeforeTheNextOneOfItsKey() {
    AtomicBoolean failed = new AtomicBoolean();
    sender.fail(
        message ->
            new String(message.payload(), UTF_8).equals("k1") && failed.compareAndSet(false, true));
    SteppedRelay relay = relay();
    relay.publish(message("t", "k", "k1"), message("t", "k", "k2"), message("t", "l", "l1"));

    relay.drain();
    assertThat(texts(sender.sent())).containsExactly("l1");
    relay.pass(Duration.ofSeconds(2));

    assertThat(sent("k")).containsExactly("k1", "k2");
    assertThat(relay.log().delivered())
        .extracting(delivery -> delivery.attempt())
        .containsExactlyInAnyOrder(1, 2, 1);
  }

  @Test
  void whatWasConfirmedIsSettledThoughTheRelayIsStoppedBeforeTheLastAnswer() throws Exception {
    sender.holdAnswers();
    Posthorn posthorn =
        Posthorn.inOneProcess(scene.store(), scene.transactions())
            .sender("kafka", sender)
            .route(Route.type("t").to("kafka"))
            .relay(relay -> relay.name("b").workers(1))
            .start();
    scene.publish(posthorn, message("t", "k", "k1"), message("t", "l", "l1"));
    awaitUnderWay("k1", "l1");
    sender.answer(message -> "k".equals(message.key()));

    posthorn.stop(Duration.ofMillis(200));

    assertThat(scene.rows().ready()).extracting(row -> row.key()).containsExactly("l");
    assertThat(scene.rows().deferred()).isEmpty();
  }

  @Test
  void anOutageCountsNoAttemptAndEverythingGoesOutInOrderAfterwards() {
    SteppedRelay relay = relay();
    sender.down(true);
    relay.publish(
        IntStream.range(0, 40)
            .mapToObj(i -> message("t", "k" + i % 4, "k" + i % 4 + "-" + (100 + i)))
            .toArray(Message[]::new));

    relay.pass(Duration.ofMinutes(10));
    DeliveryLog log = relay.log();
    assertThat(sender.sent()).isEmpty();
    assertThat(log.circuits()).containsExactly("kafka opened");
    sender.down(false);
    relay.pass(Duration.ofMinutes(1));

    assertThat(sender.sent()).hasSize(40);
    for (int key = 0; key < 4; key++) {
      assertThat(sent("k" + key)).hasSize(10).isSorted();
    }
    assertThat(log.delivered()).extracting(delivery -> delivery.attempt()).containsOnly(1);
    assertThat(scene.rows().dead()).isEmpty();
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void nothingMoreOfABatchIsSentOnceTheLeaseIsOver() {
    List<Integer> sentAtTheEnd = new ArrayList<>();
    Sender paused =
        message -> {
          if (sender.sent().isEmpty()) {
            // The machine is suspended before the answer arrives: its elapsed time stands still.
            scene.clock().advanceWall(Duration.ofMinutes(5));
          }
          return sender.send(message);
        };
    SteppedRelay relay =
        relay(
            paused,
            () -> {
              if (sentAtTheEnd.isEmpty()) {
                scene.clock().advanceWall(Duration.ofMinutes(-5));
              }
              sentAtTheEnd.add(sender.sent().size());
            });
    relay.publish(message("t", "k", "k1"), message("t", "l", "l1"), message("t", "m", "m1"));

    relay.drain();

    assertThat(sentAtTheEnd).startsWith(1);
    assertThat(texts(sender.sent())).contains("k1", "l1", "m1");
  }

  @Test
  void whatIsNotSentWithinHalfASecondComesAgain() {
    List<Integer> sentAtTheEnd = new ArrayList<>();
    Sender slow =
        message -> {
          scene.clock().advanceElapsed(Duration.ofMillis(300));
          return sender.send(message);
        };
    SteppedRelay relay = relay(slow, () -> sentAtTheEnd.add(sender.sent().size()));
    relay.publish(
        IntStream.range(0, 5).mapToObj(i -> message("t", "k" + i, "x")).toArray(Message[]::new));

    relay.drain();

    assertThat(sentAtTheEnd).containsExactly(2, 2, 2, 2, 2, 4, 4, 4, 5);
    assertThat(relay.log().delivered())
        .extracting(delivery -> delivery.attempt())
        .containsOnly(1)
        .hasSize(5);
  }

  @Test
  void oneThatFindsTheBrokerDownIsEnough() {
    List<String> tried = new ArrayList<>();
    Sender down =
        message -> {
          tried.add(message.key());
          throw new DestinationDownException("away", null);
        };
    SteppedRelay relay = relay(down, () -> {});
    relay.publish(
        IntStream.range(0, 5).mapToObj(i -> message("t", "k" + i, "x")).toArray(Message[]::new));

    relay.drain();

    assertThat(tried).hasSize(1);
    assertThat(scene.rows().ready()).hasSize(5);
  }

  @Test
  void aSenderThatDoesNotAnswerHoldsItsOwnKeyAndCountsNoAttempt() {
    Sender silent =
        new Sender() {
          @Override
          public CompletionStage<?> send(Outgoing message) {
            return message.key().equals("k") ? new CompletableFuture<>() : sender.send(message);
          }

          @Override
          public Duration timeout() {
            return Duration.ZERO;
          }
        };
    SteppedRelay relay = relay(silent, () -> {});
    relay.publish(message("t", "k", "k1"), message("t", "l", "l1"));

    relay.drain();
    assertThat(texts(sender.sent())).containsExactly("l1");
    assertThat(scene.rows().ready()).extracting(row -> row.key()).containsExactly("k");
    relay.pass(Duration.ofSeconds(7));

    assertThat(scene.rows().deferred()).hasSize(1);
    assertThat(scene.rows().deferred().get(0).attempts()).isZero();
    assertThat(scene.rows().deferred().get(0).error())
        .contains("no answer from")
        .contains("about a message to \"t\" within its timeout of 0 s");
  }

  @Test
  void anErrorThatAMappingThrowsFailsItsOwnMessageOnly() {
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .sender("kafka", sender)
                    .relay(options -> options.retry(RetryPolicy.none()))
                    .route(
                        Route.type("t")
                            .to("kafka")
                            .mapping(String.class, SendingTest::overflowIfBad)));
    relay.publish(
        IntStream.range(0, 40)
            .mapToObj(i -> message("t", "k" + i, i == 20 ? "bad" : "good"))
            .toArray(Message[]::new));

    relay.drain();

    assertThat(texts(sender.sent())).hasSize(39).containsOnly("good");
    assertThat(scene.rows().dead()).hasSize(1);
    assertThat(scene.rows().dead().get(0).error()).contains("StackOverflowError");
  }

  private static String overflowIfBad(String text) {
    if (text.equals("bad")) {
      throw new StackOverflowError("deep");
    }
    return text;
  }

  @Test
  void anErrorThatASenderThrowsFailsItsOwnMessageOnly() {
    Sender broken =
        message -> {
          if (message.key().equals("k1")) {
            throw new NoClassDefFoundError("Missing");
          }
          return sender.send(message);
        };
    SteppedRelay relay = relay(broken, () -> {});
    relay.publish(
        IntStream.range(0, 3).mapToObj(i -> message("t", "k" + i, "x")).toArray(Message[]::new));

    relay.drain();

    assertThat(sender.sent()).hasSize(2);
    assertThat(relay.log().retrying()).hasSize(1);
  }

  @Test
  void whatIsConfirmedIsSettledAndItsKeyGoesOnWhileAnotherHasNoAnswer() throws Exception {
    sender.holdAnswers();
    try (Posthorn posthorn =
        Posthorn.inOneProcess(scene.store(), scene.transactions())
            .sender("kafka", sender)
            .route(Route.type("t").to("kafka"))
            .relay(relay -> relay.name("b").workers(1))
            .start()) {
      scene.publish(
          posthorn,
          message("t", "k", "k1"),
          message("t", "k", "k2"),
          message("t", "stuck", "s1"),
          message("t", "stuck", "s2"));
      awaitUnderWay("k1", "s1");
      sender.answer(message -> message.key().equals("k"));
      awaitUnderWay("k2", "s1");
      sender.answer(message -> message.key().equals("k"));
      scene.publish(posthorn, message("t", "m", "m1"));
      awaitUnderWay("m1", "s1");

      await(() -> keysOfReadyRows().equals(List.of("m", "stuck", "stuck")));
      sender.answerAll();
      awaitUnderWay("s2");
      sender.answerAll();
    }
  }

  private List<String> keysOfReadyRows() {
    return scene.rows().ready().stream().map(row -> row.key()).sorted().toList();
  }

  private void await(BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime())
          .as("%d ready rows", scene.rows().ready().size())
          .isLessThan(end);
      Thread.onSpinWait();
    }
  }

  /** The window has room for 100 messages, and 500 are of keys that get no answer. */
  @Test
  void keysWithoutAnAnswerDoNotTakeTheWindowFromTheOthers() throws Exception {
    InMemorySender healthy = new InMemorySender();
    sender.holdAnswers();
    Sender partlyStuck =
        message -> (message.key().startsWith("stuck") ? sender : healthy).send(message);
    try (Posthorn posthorn =
        Posthorn.inOneProcess(scene.store(), scene.transactions())
            .sender("kafka", partlyStuck)
            .route(Route.type("t").to("kafka"))
            .relay(relay -> relay.name("b").windowMessages(100))
            .start()) {
      scene.publish(
          posthorn,
          IntStream.range(0, 1_000)
              .mapToObj(
                  i -> message("t", i % 2 == 0 ? "stuck" + i % 10 : "k" + i % 10, "" + (1_000 + i)))
              .toArray(Message[]::new));

      await(() -> healthy.sent().size() == 500);
      assertThat(sender.sent()).isEmpty();
      assertThat(sender.underWay()).hasSize(5);
      await(
          () -> {
            sender.answerAll();
            return sender.sent().size() == 500;
          });
    }
    for (int key = 0; key < 10; key += 2) {
      assertThat(sent("stuck" + key)).hasSize(100).isSorted();
    }
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void anUnavailablePartOfADestinationHoldsThoseWhoGoThereOnly() {
    AtomicBoolean unavailable = new AtomicBoolean(true);
    Sender partlyDown =
        message -> {
          if (message.key().equals("k") && unavailable.get()) {
            throw DestinationDownException.of("t-2", "partition without a leader", null);
          }
          return sender.send(message);
        };
    SteppedRelay relay = relay(partlyDown, () -> {});
    relay.publish(
        message("t", "k", "k1"),
        message("t", "k", "k2"),
        message("t", "l", "l1"),
        message("t", "l", "l2"));

    relay.pass(Duration.ofMinutes(1));
    assertThat(sent("l")).containsExactly("l1", "l2");
    assertThat(relay.log().circuits()).isEmpty();
    unavailable.set(false);
    relay.pass(Duration.ofMinutes(1));

    assertThat(sent("k")).containsExactly("k1", "k2");
    assertThat(relay.log().delivered()).extracting(delivery -> delivery.attempt()).containsOnly(1);
  }

  /**
   * A relay with messages of four keys, one of which goes to a topic that is closed.
   *
   * @param closed whether it is, still
   * @param tried gets the keys of messages that were sent there
   */
  private SteppedRelay relayWithAClosedTopic(
      String closedKey, AtomicBoolean closed, List<String> tried) {
    Sender partlyDown =
        message -> {
          if (message.destination().equals("closed") && closed.get()) {
            tried.add(message.key());
            throw DestinationDownException.of("closed", "not allowed", null);
          }
          return sender.send(message);
        };
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .sender("kafka", partlyDown)
                    .route(Route.type("t").to("kafka", "{header.to}")));
    relay.publish(
        IntStream.range(0, 40)
            .mapToObj(
                i ->
                    message("t", "k" + i % 4, "" + (100 + i)).toBuilder()
                        .header("to", ("k" + i % 4).equals(closedKey) ? "closed" : "open")
                        .build())
            .toArray(Message[]::new));
    return relay;
  }

  @Test
  void anUnavailableDestinationHoldsItsOwnKeysInOrderWithoutAnAttempt() {
    AtomicBoolean unavailable = new AtomicBoolean(true);
    List<String> tried = new ArrayList<>();
    SteppedRelay relay = relayWithAClosedTopic("k0", unavailable, tried);

    relay.drain();
    assertThat(sender.sent()).hasSize(30);
    relay.pass(Duration.ofMinutes(10));

    assertThat(tried).hasSizeLessThan(200);
    assertThat(relay.posthorn().status().orElseThrow().handlers().get("kafka").unavailable())
        .containsExactly("closed");
    assertThat(relay.log().circuits()).containsExactly("kafka to closed opened");
    assertThat(scene.rows().dead()).isEmpty();
    unavailable.set(false);
    relay.pass(Duration.ofMinutes(1));

    assertThat(sent("k0")).hasSize(10).isSorted();
    assertThat(relay.log().delivered())
        .extracting(delivery -> delivery.attempt())
        .containsOnly(1)
        .hasSize(40);
    assertThat(relay.log().circuits())
        .containsExactly("kafka to closed opened", "kafka to closed closed");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  /** A sender may know of a missing topic without asking the broker, which may be away. */
  @Test
  void anUnavailableDestinationDoesNotSayThatTheBrokerIsBack() {
    AtomicBoolean unavailable = new AtomicBoolean(true);
    sender.down(true);
    SteppedRelay relay = relayWithAClosedTopic("k3", unavailable, new ArrayList<>());

    relay.pass(Duration.ofMinutes(10));
    assertThat(relay.log().circuits())
        .containsExactlyInAnyOrder("kafka opened", "kafka to closed opened");
    sender.down(false);
    relay.pass(Duration.ofMinutes(1));

    assertThat(relay.log().circuits()).endsWith("kafka closed");
    assertThat(sender.sent()).hasSize(30);
    unavailable.set(false);
    relay.pass(Duration.ofMinutes(1));
    assertThat(relay.log().delivered())
        .extracting(delivery -> delivery.attempt())
        .containsOnly(1)
        .hasSize(40);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  /**
   * @param ended called for each message at the end of its batch
   */
  private SteppedRelay relay(Sender sender, Runnable ended) {
    return scene.relay(
        "a",
        builder ->
            builder
                .sender("kafka", sender)
                .route(Route.type("t").to("kafka"))
                .interceptor(
                    new DeliveryInterceptor() {
                      @Override
                      public void after(Delivery delivery, @Nullable Throwable failure) {
                        ended.run();
                      }
                    }));
  }
}
