/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.DeliveryResult;
import io.posthorn.DestinationDownException;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What follows when a delivery fails: a test for each line of the design's table. */
class FailureTableDbTest extends OneDatabase {
  private static final RetryPolicy TWO_TRIES =
      RetryPolicy.exponential(Duration.ofSeconds(10), Duration.ofSeconds(10), 2);

  private final List<Delivery> received = new ArrayList<>();
  private volatile DeliveryResult answer = DeliveryResult.delivered();
  private volatile Exception failure;

  private SteppedRelay answering(UnaryOperator<HandlerSpec<String>> settings) {
    HandlerSpec<String> spec =
        HandlerSpec.deciding(
            HANDLER,
            TYPE,
            String.class,
            (text, delivery) -> {
              received.add(delivery);
              if (failure != null) {
                throw failure;
              }
              return answer;
            });
    return relay("a", builder -> builder.handler(settings.apply(spec.retry(TWO_TRIES))));
  }

  private List<Integer> attempts() {
    return received.stream().map(Delivery::attempt).toList();
  }

  private List<String> deferred() {
    return database.rows().deferred().stream()
        .map(row -> row.reason() + " " + row.attempts())
        .toList();
  }

  private void pass(SteppedRelay relay, Duration time) {
    database.clock().advance(time);
    relay.drain();
  }

  @Test
  void aFailedMessageIsRetriedAndItsFollowersAreHeld() throws Exception {
    publish("k", 3);
    failure = new IllegalStateException("no answer");
    SteppedRelay relay = answering(spec -> spec);

    relay.drain();

    assertThat(deferred()).containsExactly("RETRYING 1", "HELD 0", "HELD 0");
    assertThat(database.rows().deferred().get(0).error()).contains("no answer");
    failure = null;
    pass(relay, Duration.ofSeconds(11));
    assertThat(attempts()).containsExactly(1, 2, 1, 1);
    assertThat(relay.log().deliveredSeqs(HANDLER, "k")).isSorted().hasSize(3);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void aHandlerAsksForARetryThatCounts() throws Exception {
    publish("k");
    answer = DeliveryResult.retryAfter(Duration.ofMinutes(1));
    SteppedRelay relay = answering(spec -> spec);
    relay.drain();
    assertThat(deferred()).containsExactly("RETRYING 1");
    pass(relay, Duration.ofSeconds(58));
    assertThat(attempts()).containsExactly(1);

    pass(relay, Duration.ofSeconds(3));

    assertThat(attempts()).containsExactly(1, 2);
    assertThat(relay.log().retrying()).as("two tries are the most").hasSize(1);
    assertThat(database.rows().dead())
        .singleElement()
        .satisfies(row -> assertThat(row.error()).contains("no attempt is left"));
  }

  @Test
  void aHandlerAsksForARetryThatDoesNotCount() throws Exception {
    publish("k");
    answer = DeliveryResult.retryAfterUncounted(Duration.ofMinutes(1));
    SteppedRelay relay = answering(spec -> spec);
    relay.drain();
    for (int i = 0; i < 5; i++) {
      pass(relay, Duration.ofSeconds(61));
    }

    assertThat(attempts()).containsExactly(1, 1, 1, 1, 1, 1);
    assertThat(deferred()).containsExactly("RETRYING 0");
    answer = DeliveryResult.delivered();
    pass(relay, Duration.ofSeconds(61));
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void aHandlerAsksForARetryAtATime() throws Exception {
    publish("k");
    answer = DeliveryResult.retryAt(database.clock().instant().plusSeconds(600));
    SteppedRelay relay = answering(spec -> spec);
    relay.drain();
    pass(relay, Duration.ofSeconds(590));
    assertThat(received).hasSize(1);
    answer = DeliveryResult.delivered();

    pass(relay, Duration.ofSeconds(20));

    assertThat(attempts()).containsExactly(1, 2);
  }

  @Test
  void aFallbackTakesTheMessageWhenTheAttemptsAreUsedUp() throws Exception {
    publish("k", 2);
    failure = new IllegalStateException("no answer");
    List<String> fallen = new ArrayList<>();
    SteppedRelay relay =
        answering(
            spec ->
                spec.fallback(
                    (payload, delivery, cause) ->
                        fallen.add(delivery.attempt() + " " + cause.getMessage())));
    relay.drain();
    assertThat(fallen).isEmpty();

    pass(relay, Duration.ofSeconds(11));
    pass(relay, Duration.ofSeconds(11));

    assertThat(fallen).containsExactly("2 no answer", "2 no answer");
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void aFailingFallbackEndsAsADeadLetterAndTheLaneGoesOn() throws Exception {
    List<UUID> ids = publish("k", 2);
    failure = new IllegalStateException("no answer");
    SteppedRelay relay =
        answering(
            spec ->
                spec.retry(RetryPolicy.exponential(Duration.ZERO, Duration.ZERO, 1))
                    .fallback(
                        (payload, delivery, cause) -> {
                          if (delivery.messageId().equals(ids.get(0))) {
                            throw new IllegalStateException("no fallback either");
                          }
                        }));

    relay.drain();

    assertThat(database.rows().dead())
        .extracting(StoredRows.Dead::error)
        .singleElement()
        .asString()
        .contains("no fallback either")
        .contains("no answer");
    assertThat(relay.log().dead())
        .extracting(dead -> dead.message().envelope().id())
        .containsExactly(ids.get(0));
    assertThat(relay.log().delivered()).extracting(Delivery::messageId).containsExactly(ids.get(1));
  }

  @Test
  void aDeadLetterCanBlockItsLane() throws Exception {
    List<UUID> ids = publish("k", 2);
    publish("other");
    SteppedRelay relay =
        answering(
            spec ->
                spec.lanePolicy(HandlerSpec.LanePolicy.BLOCK)
                    .retry(RetryPolicy.exponential(Duration.ZERO, Duration.ZERO, 1)));
    failure = new IllegalStateException("no answer");
    relay.steps().step("lease");
    relay.drain();
    failure = null;
    UUID late = publish("k");
    pass(relay, Duration.ofDays(10));

    assertThat(database.rows().dead()).hasSize(2); // of "k" and of "other"
    assertThat(relay.log().delivered()).isEmpty();
    assertThat(database.rows().deferred())
        .filteredOn(row -> row.key().equals("k"))
        .extracting(StoredRows.Deferred::reason)
        .containsExactly("BLOCKED", "HELD", "HELD");
    assertThat(List.of(ids.get(1), late)).doesNotContainNull();
  }

  @Test
  void anUnavailableDestinationOpensTheCircuitAndCountsNothing() throws Exception {
    publish("k", 3);
    failure = new DestinationDownException("broker is away", null);
    SteppedRelay relay = answering(spec -> spec);
    relay.drain();
    for (int i = 0; i < 10; i++) {
      pass(relay, Duration.ofSeconds(2));
    }
    assertThat(received).hasSize(11).allMatch(delivery -> delivery.attempt() == 1);
    assertThat(database.rows().ready()).hasSize(3);
    assertThat(database.rows().deferred()).isEmpty();

    failure = null;
    pass(relay, Duration.ofSeconds(2));

    assertThat(relay.log().circuits()).containsExactly("mailer opened", "mailer closed");
    assertThat(relay.log().deliveredSeqs(HANDLER, "k")).isSorted().hasSize(3);
    assertThat(relay.log().delivered()).allMatch(delivery -> delivery.attempt() == 1);
  }

  @Test
  void aMessageNobodyHandlesWaitsAndIsThenADeadLetter() throws Exception {
    transactions.run(
        connection ->
            publisher.outbox().publish(Message.of("unheard-of").key("k").payload("{}").build()));
    UUID known = publish("k");
    SteppedRelay relay = answering(spec -> spec);
    relay.drain();
    assertThat(relay.log().delivered()).extracting(Delivery::messageId).containsExactly(known);
    assertThat(deferred()).hasSize(1);

    for (int i = 0; i < 130; i++) {
      pass(relay, Duration.ofSeconds(31));
    }

    assertThat(database.rows().dead())
        .singleElement()
        .satisfies(row -> assertThat(row.error()).contains("unheard-of").contains("no live"));
    assertThat(relay.log().dead()).hasSize(1);
  }

  @Test
  void rowsOfAHandlerThatNoInstanceHasAnyMoreAreDeadLettersAfterTheGraceTime() throws Exception {
    publish("k", 2);
    publish((String) null);
    failure = new IllegalStateException("no answer");
    SteppedRelay first = answering(spec -> spec.retry(RetryPolicy.standard()));
    first.drain();
    assertThat(deferred()).hasSize(3);
    first.close();
    SteppedRelay next =
        relay("b", builder -> builder.handler("other", "t2", String.class, (text, delivery) -> {}));
    next.drain();
    for (int i = 0; i < 119; i++) {
      pass(next, Duration.ofSeconds(30));
    }
    assertThat(deferred()).as("within the grace time").hasSize(3);

    for (int i = 0; i < 4; i++) {
      pass(next, Duration.ofSeconds(30));
    }

    assertThat(deferred()).isEmpty();
    assertThat(database.rows().dead())
        .hasSize(3)
        .allMatch(row -> row.handler().equals(HANDLER) && row.error().contains("no live instance"));
  }

  @Test
  void anUndecodablePayloadIsADeadLetterAtOnce() throws Exception {
    publish("k"); // the codec does not like the first one
    UUID next = publish("k");
    SteppedRelay relay =
        relay(
            "a",
            builder ->
                builder
                    .codec(new PickyCodec())
                    .handler(HANDLER, TYPE, PickyCodec.Order.class, (order, delivery) -> {}));

    relay.drain();

    assertThat(database.rows().dead())
        .singleElement()
        .satisfies(row -> assertThat(row.error()).contains("is not a"))
        .satisfies(row -> assertThat(row.attempts()).isEqualTo(1));
    assertThat(relay.log().delivered()).extracting(Delivery::messageId).containsExactly(next);
  }

  @Test
  void aDeliveryThatIsDeadOrIgnoredByTheHandlersWordIsNotRetried() throws Exception {
    publish("k");
    answer = DeliveryResult.dead("no such customer");
    SteppedRelay relay = answering(spec -> spec);
    relay.drain();
    publish("k");
    answer = DeliveryResult.ignored();
    relay.drain();

    assertThat(received).hasSize(2);
    assertThat(database.rows().dead())
        .singleElement()
        .satisfies(row -> assertThat(row.error()).isEqualTo("no such customer"));
    assertThat(relay.log().ignored()).hasSize(1);
    assertThat(relay.log().delivered()).isEmpty();
  }
}
