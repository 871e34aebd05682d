/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Batch;
import io.posthorn.BatchHandler;
import io.posthorn.DeliveryResult;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.RetryPolicy;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BatchHandlerTest {
  private final Scene scene = new Scene(1);
  private final List<List<String>> calls = new ArrayList<>();

  @AfterEach
  void stop() {
    scene.close();
  }

  private SteppedRelay relay(int batchSize, BatchHandler<String> handler) {
    return relay(batchSize, handler, spec -> spec);
  }

  private SteppedRelay relay(
      int batchSize, BatchHandler<String> handler, UnaryOperator<HandlerSpec<String>> settings) {
    HandlerSpec<String> spec =
        HandlerSpec.batch(
            "sender",
            "t",
            String.class,
            batchSize,
            batch -> {
              calls.add(payloads(batch));
              handler.handle(batch);
            });
    return scene.relay("a", builder -> builder.handler(settings.apply(spec)));
  }

  private static List<String> payloads(Batch<String> batch) {
    return batch.items().stream().map(item -> String.valueOf(item.payload())).toList();
  }

  private static void failOnce(Batch<String> batch, String payload) {
    batch.items().stream()
        .filter(item -> payload.equals(item.payload()) && !item.delivery().isRetry())
        .forEach(item -> batch.fail(item, new IllegalStateException("not this one")));
  }

  @Test
  void severalMessagesComeInOneCallUpToTheBatchSize() {
    SteppedRelay relay = relay(3, batch -> {});
    relay.publish(
        message("t", "k", "1"),
        message("t", "k", "2"),
        message("t", "l", "3"),
        message("t", null, "4"));

    relay.drain();

    assertThat(calls).containsExactly(List.of("1", "2", "3"), List.of("4"));
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void anItemThatIsMarkedHoldsItsOwnLaneOnly() {
    SteppedRelay relay = relay(10, batch -> failOnce(batch, "1"));
    relay.publish(message("t", "k", "1"), message("t", "k", "2"), message("t", "l", "3"));

    relay.drain();

    assertThat(relay.log().delivered()).extracting(delivery -> delivery.key()).containsExactly("l");
    StoreAssert.assertThat(scene.rows()).laneIsBlocked("sender", "k").laneIsFree("sender", "l");

    relay.pass(Duration.ofSeconds(1));

    assertThat(calls).last().isEqualTo(List.of("1", "2"));
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void laterItemsOfAFailedLaneComeAgainWithoutAnAttemptBeingCounted() {
    SteppedRelay relay = relay(10, batch -> failOnce(batch, "1"));
    relay.publish(message("t", "k", "1"), message("t", "k", "2"));

    relay.drain();
    assertThat(scene.rows().deferred()).extracting(row -> row.attempts()).containsExactly(1, 0);
    relay.pass(Duration.ofSeconds(1));

    assertThat(relay.log().delivered())
        .extracting(delivery -> delivery.attempt())
        .containsExactly(2, 1);
  }

  @Test
  void throwingFailsAllItemsThatWereNotMarked() {
    SteppedRelay relay =
        relay(
            10,
            batch -> {
              failOnce(batch, "1");
              if (calls.size() == 1) {
                throw new IllegalArgumentException("the whole batch");
              }
            });
    relay.publish(message("t", "k", "1"), message("t", "l", "2"));

    relay.drain();

    assertThat(scene.rows().deferred())
        .extracting(row -> row.error())
        .containsExactly(
            "java.lang.IllegalStateException: not this one",
            "java.lang.IllegalArgumentException: the whole batch");

    relay.pass(Duration.ofSeconds(1));
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aTombstoneIsAnItemWithoutPayload() {
    SteppedRelay relay = relay(10, batch -> {});
    relay.publish(Message.of("t").key("k").build());

    relay.drain();

    assertThat(calls).containsExactly(List.of("null"));
  }

  @Test
  void aBatchHandlerWhoseErrorIsNoExceptionIsRetriedToo() {
    SteppedRelay relay =
        relay(
            10,
            batch -> {
              if (calls.size() == 1) {
                throw new StackOverflowError("deep");
              }
            });
    relay.publish(message("t", "k", "1"));

    relay.drain();
    relay.pass(Duration.ofSeconds(1));

    assertThat(calls).hasSize(2);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void whatIsLeftForLaterComesAgainAtOnceAndInOrderWithoutAnAttempt() {
    SteppedRelay relay =
        relay(
            10,
            batch ->
                batch.items().stream()
                    .filter(item -> "2".equals(item.payload()) && calls.size() == 1)
                    .forEach(batch::leave));
    relay.publish(
        message("t", "k", "1"),
        message("t", "k", "2"),
        message("t", "k", "3"),
        message("t", "l", "4"));

    relay.drain();

    assertThat(calls).containsExactly(List.of("1", "2", "3", "4"), List.of("2", "3"));
    assertThat(relay.log().delivered())
        .extracting(delivery -> delivery.attempt())
        .containsOnly(1)
        .hasSize(4);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aHandlerThatTakesLongSeesThatTheItemsAreNoLongerItsOwn() {
    List<Boolean> owned = new ArrayList<>();
    SteppedRelay relay =
        relay(
            10,
            batch -> {
              if (calls.size() == 1) {
                owned.add(batch.owned(batch.items().get(0)));
                scene.clock().advance(Duration.ofMinutes(5));
                owned.add(batch.owned(batch.items().get(0)));
              }
            });
    relay.publish(message("t", "k", "1"));

    relay.drain();

    assertThat(owned).containsExactly(true, false);
  }

  private void publishThreeOfOneKey(SteppedRelay relay) {
    relay.publish(
        message("t", "k", "1"),
        message("t", "k", "2"),
        message("t", "k", "3"),
        message("t", "l", "4"));
  }

  @Test
  void whatAHandlerPassesOverBehindADeadLetterComesAgain() {
    SteppedRelay relay =
        relay(10, batch -> failOnce(batch, "1"), spec -> spec.retry(RetryPolicy.none()));
    publishThreeOfOneKey(relay);

    relay.drain();

    assertThat(calls).containsExactly(List.of("1", "2", "3", "4"), List.of("2", "3"));
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(1).hasReady(0);
  }

  @Test
  void whatAHandlerPassesOverBehindOneThatItGivesUpComesAgain() {
    SteppedRelay relay =
        relay(
            10,
            batch ->
                batch.items().stream()
                    .filter(item -> "1".equals(item.payload()))
                    .forEach(item -> batch.decide(item, DeliveryResult.dead("no"))));
    publishThreeOfOneKey(relay);

    relay.drain();

    assertThat(calls).containsExactly(List.of("1", "2", "3", "4"), List.of("2", "3"));
  }

  @Test
  void whatAHandlerPassesOverComesAgainAlsoIfItsLaneLetsPass() {
    SteppedRelay relay =
        relay(
            10,
            batch -> failOnce(batch, "1"),
            spec -> spec.lanePolicy(HandlerSpec.LanePolicy.PASS));
    publishThreeOfOneKey(relay);

    relay.drain();

    assertThat(calls).containsExactly(List.of("1", "2", "3", "4"), List.of("2", "3"));
    relay.pass(Duration.ofSeconds(1));
    assertThat(calls).last().isEqualTo(List.of("1"));
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }
}
