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

  /** Takes the five seconds that a sender has beyond its timeout. */
  @Test
  void aSenderThatDoesNotAnswerIsTakenForDown() {
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

    assertThat(relay.log().circuits()).containsExactly("kafka opened");
    assertThat(texts(sender.sent())).containsExactly("l1");
    assertThat(scene.rows().ready()).extracting(row -> row.key()).containsExactly("k");
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
