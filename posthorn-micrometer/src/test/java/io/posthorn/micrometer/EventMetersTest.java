/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer;

import static io.posthorn.micrometer.Stage.HANDLER;
import static io.posthorn.micrometer.Stage.TYPE;
import static io.posthorn.micrometer.Stage.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Timer;
import io.posthorn.Admin;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.DeliveryResult;
import io.posthorn.DestinationDownException;
import io.posthorn.Message;
import io.posthorn.micrometer.Stage.MeteredRelay;
import io.posthorn.test.InMemoryTransactions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What happens is counted. */
class EventMetersTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final Stage stage = new Stage();

  @AfterEach
  void close() {
    stage.close();
  }

  private Timer publishToDelivery() {
    return stage.registry.get(MeterName.PUBLISH_TO_DELIVERY.id).tags("handler", HANDLER).timer();
  }

  @Test
  void messagesAreCountedAsPublishedWhenTheyAreCommitted() {
    MeteredRelay relay = stage.relay();
    try (InMemoryTransactions.Open transaction = stage.transactions.begin()) {
      relay.posthorn.outbox().publishAll(List.of(message("a"), message("b")));
      assertThat(stage.has(MeterName.PUBLISHED)).isFalse();
      transaction.commit();
    }
    assertThat(stage.value(MeterName.PUBLISHED, "outbox", "orders", "type", TYPE)).isEqualTo(2);
  }

  @Test
  void whatIsRolledBackWasNotPublished() {
    MeteredRelay relay = stage.relay();
    try (InMemoryTransactions.Open transaction = stage.transactions.begin()) {
      relay.posthorn.outbox().publish(message("a"));
      transaction.rollback();
    }
    assertThat(stage.has(MeterName.PUBLISHED)).isFalse();
  }

  @Test
  void aDeliveryIsCountedAndTimedFromThePublishing() {
    MeteredRelay relay = stage.relay();
    relay.publish(message("a"));
    stage.clock.advance(SECOND.multipliedBy(3));

    relay.drain();

    assertThat(stage.ofHandler(MeterName.DELIVERED)).isEqualTo(1);
    assertThat(publishToDelivery().count()).isEqualTo(1);
    assertThat(publishToDelivery().totalTime(TimeUnit.MILLISECONDS)).isEqualTo(3_000);
  }

  @Test
  void theDatabasesClockMayDifferFromTheMachines() {
    stage.databaseClock.advance(Duration.ofMinutes(7));
    MeteredRelay relay = stage.relay();
    relay.publish(message("a"));
    stage.clock.advance(SECOND);

    relay.drain();

    assertThat(publishToDelivery().totalTime(TimeUnit.MILLISECONDS)).isEqualTo(1_000);
  }

  @Test
  void aFailureThatIsRetriedIsBoth() {
    MeteredRelay relay = stage.relay();
    stage.failing();
    relay.publish(message("a"));
    relay.drain();

    assertThat(stage.ofHandler(MeterName.FAILED)).isEqualTo(1);
    assertThat(stage.ofHandler(MeterName.RETRIED)).isEqualTo(1);
    assertThat(stage.has(MeterName.DELIVERED)).isFalse();
    assertThat(stage.has(MeterName.DIED)).isFalse();
  }

  @Test
  void aHandlerThatAsksForARetryHasNotFailed() {
    MeteredRelay relay = stage.relay();
    stage.handling = (payload, delivery) -> DeliveryResult.retryAfter(SECOND);
    relay.publish(message("a"));
    relay.drain();

    assertThat(stage.ofHandler(MeterName.RETRIED)).isEqualTo(1);
    assertThat(stage.has(MeterName.FAILED)).isFalse();
  }

  @Test
  void theLastFailureMakesADeadLetter() {
    buried(stage.relay(), 1);

    assertThat(stage.ofHandler(MeterName.FAILED)).isEqualTo(2);
    assertThat(stage.ofHandler(MeterName.RETRIED)).isEqualTo(1);
    assertThat(stage.ofHandler(MeterName.DIED)).isEqualTo(1);
  }

  @Test
  void aDestinationThatIsDownFailsWithoutARetry() {
    MeteredRelay relay = stage.relay();
    stage.handling =
        (payload, delivery) -> {
          throw new DestinationDownException("away", null);
        };
    relay.publish(message("a"));
    relay.drain();

    assertThat(stage.ofHandler(MeterName.FAILED)).isEqualTo(1);
    assertThat(stage.has(MeterName.RETRIED)).isFalse();
  }

  @Test
  void aDroppedMessageIsIgnored() {
    MeteredRelay relay = stage.relay();
    stage.handling = (payload, delivery) -> DeliveryResult.ignored();
    relay.publish(message("a"));
    relay.drain();

    assertThat(stage.ofHandler(MeterName.IGNORED)).isEqualTo(1);
    assertThat(stage.has(MeterName.DELIVERED)).isFalse();
  }

  @Test
  void anExpiredMessageIsCounted() {
    MeteredRelay relay = stage.relay();
    relay.publish(Message.of(TYPE).payload("x").expiresAt(stage.clock.instant()).build());
    relay.drain();

    assertThat(stage.value(MeterName.EXPIRED, "type", TYPE)).isEqualTo(1);
    assertThat(stage.has(MeterName.DELIVERED)).isFalse();
  }

  @Test
  void purgedRowsAreCountedByWhatTheyWere() {
    MeteredRelay relay = stage.relay("a", b -> b.relay(r -> r.retention(SECOND)));
    relay.publish(message("a"), message("b"));
    relay.drain();
    relay.pass(SECOND.multipliedBy(2));

    assertThat(stage.value(MeterName.PURGED, "what", "history")).isEqualTo(2);
  }

  @Test
  void partitionsOfADeadRelayAreRecoveredAndItFindsItselfExpelled() {
    MeteredRelay dead = stage.relay("dead", any -> {});
    stage.clock.advance(Duration.ofSeconds(31));
    MeteredRelay successor = stage.relay("successor", any -> {});

    assertThat(stage.value(MeterName.RECOVERED, "instance", "successor")).isEqualTo(4);
    assertThat(stage.has(MeterName.EXPELLED)).isFalse();

    dead.steps.step("lease");

    assertThat(stage.value(MeterName.EXPELLED, "instance", "dead")).isEqualTo(1);
    assertThat(successor.posthorn.status().orElseThrow().epochs()).hasSize(4);
  }

  @Test
  void aPartitionThatWasHandedOverWasNotRecovered() {
    stage.relay("first", any -> {}).close();
    MeteredRelay second = stage.relay("second", any -> {});

    assertThat(second.posthorn.status().orElseThrow().epochs()).hasSize(4);
    assertThat(stage.has(MeterName.RECOVERED)).isFalse();
  }

  // --- people

  private Admin buried(MeteredRelay relay, int count) {
    stage.failing();
    for (int i = 0; i < count; i++) {
      relay.publish(message("key-" + i));
    }
    relay.drain();
    relay.pass(SECOND);
    assertThat(relay.posthorn.admin().deadLetters().count(Filter.all()).entries()).isEqualTo(count);
    return relay.posthorn.admin();
  }

  private double byHand(String action) {
    return stage.value(MeterName.BY_HAND, "outbox", "orders", "action", action, "handler", HANDLER);
  }

  private static List<EntryId> dead(Admin admin) {
    return admin.deadLetters().page(Filter.all(), null, 100).items().stream()
        .map(Admin.Entry::id)
        .toList();
  }

  private static List<EntryId> deferred(Admin admin) {
    return admin.deferred().page(Filter.all(), null, 100).items().stream()
        .map(Admin.Entry::id)
        .toList();
  }

  @Test
  void whatPeopleDoToDeadLettersIsCounted() {
    Admin admin = buried(stage.relay(), 10);
    List<EntryId> ids = dead(admin);

    admin.deadLetters().retry(ids.subList(0, 2));
    admin.deadLetters().retry(ids.subList(0, 2)); // no longer there
    admin.deadLetters().retryAll(Filter.all().key("key-9"));
    admin.deadLetters().delete(ids.subList(2, 3));
    admin.deadLetters().resolve(ids.subList(3, 7));

    assertThat(byHand("retry")).isEqualTo(3);
    assertThat(byHand("delete")).isEqualTo(1);
    assertThat(byHand("resolve")).isEqualTo(4);
  }

  @Test
  void whatIsRetriedByHandAndDeliveredIsCountedAsSuch() {
    MeteredRelay relay = stage.relay();
    Admin admin = buried(relay, 1);
    stage.working();

    admin.deadLetters().retryAll(Filter.all());
    relay.pass(SECOND);

    assertThat(stage.ofHandler(MeterName.DELIVERED)).isEqualTo(1);
  }

  @Test
  void whatPeopleDoToDeferredMessagesIsCounted() {
    MeteredRelay relay = stage.relay();
    stage.failing();
    relay.publish(message("a"), message("b"), message("c"));
    relay.drain();
    Admin admin = relay.posthorn.admin();
    List<EntryId> ids = deferred(admin);
    assertThat(ids).hasSize(3);

    admin.deferred().runNow(ids);
    admin.lanes().skipHead(HANDLER, "a");
    admin.lanes().skipHead(HANDLER, "a"); // nothing is there
    admin.deferred().cancel(ids);

    assertThat(byHand("run-now")).isEqualTo(3);
    assertThat(byHand("skip")).isEqualTo(1);
    assertThat(byHand("cancel")).isEqualTo(2);
  }

  @Test
  void whatPeopleReplayIsCounted() {
    MeteredRelay relay = stage.relay("a", b -> b.relay(r -> r.retention(Duration.ofDays(1))));
    relay.publish(message("a"), message("b"));
    relay.drain();
    Admin admin = relay.posthorn.admin();
    List<EntryId> ids =
        admin.history().page(Filter.all(), null, 10).items().stream().map(Admin.Entry::id).toList();

    admin.history().replay(ids.subList(0, 1));
    stage.clock.advance(SECOND);
    admin.history().replayAll(Filter.all());

    assertThat(byHand("replay")).isEqualTo(2);
  }
}
