/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer;

import static io.posthorn.micrometer.Stage.HANDLER;
import static io.posthorn.micrometer.Stage.TYPE;
import static io.posthorn.micrometer.Stage.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.Tag;
import io.posthorn.Admin.Filter;
import io.posthorn.DestinationDownException;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.Route;
import io.posthorn.micrometer.Stage.MeteredRelay;
import io.posthorn.spi.Sender;
import io.posthorn.spi.StoreException;
import io.posthorn.test.InMemorySender;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is the case at a moment is shown. */
class GaugesTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final Stage stage = new Stage();

  @AfterEach
  void close() {
    stage.close();
  }

  private double seconds(MeterName name) {
    return stage.registry.get(name.id).timeGauge().value(TimeUnit.SECONDS);
  }

  // --- of the relay

  @Test
  void theRelayShowsItsPartitionsAndItsLease() {
    MeteredRelay relay = stage.relay();

    assertThat(stage.value(MeterName.PARTITIONS_HELD, "outbox", "orders")).isEqualTo(4);
    assertThat(stage.value(MeterName.LEASE_VALID)).isEqualTo(1);

    stage.clock.advance(Duration.ofMinutes(1));
    assertThat(stage.value(MeterName.LEASE_VALID)).isZero();

    relay.posthorn.close();
    assertThat(stage.value(MeterName.PARTITIONS_HELD)).isZero();
    assertThat(stage.value(MeterName.LEASE_VALID)).isZero();
  }

  @Test
  void whatIsInMemoryIsShownUntilItIsSettled() {
    MeteredRelay relay = stage.relay();
    relay.publish(message("a"), message("b"));
    relay.steps.step("read");
    assertThat(stage.value(MeterName.IN_MEMORY)).isEqualTo(2);

    relay.drain();
    assertThat(stage.value(MeterName.IN_MEMORY)).isZero();
  }

  @Test
  void blockedLanesAreShownByHandler() {
    MeteredRelay relay =
        stage.relay("a", b -> b.handler("ledger", TYPE, String.class, (payload, any) -> {}));
    stage.failing();
    relay.publish(message("a"), message("a"), message("b"));
    relay.drain();

    assertThat(stage.value(MeterName.LANES_BLOCKED, "handler", HANDLER)).isEqualTo(2);
    assertThat(stage.value(MeterName.LANES_BLOCKED, "handler", "ledger")).isZero();
  }

  @Test
  void anOpenCircuitIsShownForItsHandler() {
    MeteredRelay relay =
        stage.relay("a", b -> b.handler("ledger", TYPE, String.class, (payload, any) -> {}));
    assertThat(stage.value(MeterName.CIRCUIT_OPEN, "handler", HANDLER)).isZero();
    stage.handling =
        (payload, delivery) -> {
          throw new DestinationDownException("away", null);
        };
    relay.publish(message("a"));
    relay.drain();

    assertThat(stage.value(MeterName.CIRCUIT_OPEN, "handler", HANDLER)).isEqualTo(1);
    assertThat(stage.value(MeterName.CIRCUIT_OPEN, "handler", "ledger")).isZero();

    stage.working();
    relay.pass(SECOND.multipliedBy(5));
    assertThat(stage.value(MeterName.CIRCUIT_OPEN, "handler", HANDLER)).isZero();
  }

  @Test
  void destinationsThatAreUnavailableAreCountedForTheirSender() { // issue 18, "Must hold" 2
    Set<String> closed = ConcurrentHashMap.newKeySet();
    InMemorySender broker = new InMemorySender();
    Sender partlyDown =
        message -> {
          if (closed.contains(message.destination())) {
            throw DestinationDownException.of(message.destination(), "not allowed", null);
          }
          return broker.send(message);
        };
    MeteredRelay relay =
        stage.relay(
            "a",
            b ->
                b.sender("kafka", partlyDown).route(Route.type("sent").to("kafka", "{header.to}")));
    assertThat(stage.value(MeterName.DESTINATIONS_UNAVAILABLE, "handler", "kafka")).isZero();
    closed.addAll(Set.of("x", "y"));

    relay.publish(sentTo("x"), sentTo("y"), sentTo("z"));
    relay.drain();
    assertThat(stage.value(MeterName.DESTINATIONS_UNAVAILABLE, "handler", "kafka")).isEqualTo(2);
    assertThat(stage.value(MeterName.DESTINATIONS_UNAVAILABLE, "handler", HANDLER)).isZero();
    assertThat(stage.value(MeterName.CIRCUIT_OPEN, "handler", "kafka")).isZero();

    closed.remove("x");
    relay.pass(SECOND.multipliedBy(40));
    assertThat(stage.value(MeterName.DESTINATIONS_UNAVAILABLE, "handler", "kafka")).isEqualTo(1);
    closed.clear();
    relay.pass(SECOND.multipliedBy(40));
    assertThat(stage.value(MeterName.DESTINATIONS_UNAVAILABLE, "handler", "kafka")).isZero();
    assertThat(broker.sent()).hasSize(3);
  }

  private static Message sentTo(String destination) {
    return Message.of("sent").key(destination).header("to", destination).payload("x").build();
  }

  @Test
  void aProcessThatOnlyPublishesHasNoGaugesOfARelayButOfWhatWaits() {
    try (PosthornMetrics metrics = new PosthornMetrics(stage.registry, Tag.of("app", "shop"));
        Posthorn publisher =
            metrics.addTo(Posthorn.publishOnly(stage.store, stage.transactions)).start()) {
      stage.transactions.run(() -> publisher.outbox().publish(message("a")));
      metrics.watch(publisher).runOnce();

      assertThat(stage.has(MeterName.LEASE_VALID)).isFalse();
      assertThat(stage.has(MeterName.PARTITIONS_HELD)).isFalse();
      assertThat(stage.value(MeterName.READY, "app", "shop", "outbox", "outbox")).isEqualTo(1);
      assertThat(stage.value(MeterName.INSTANCES)).isZero();
    }
  }

  // --- of the survey

  @Test
  void readyMessagesAreShownByTypeAndByPartition() {
    MeteredRelay relay = stage.relay("a", b -> b.publish(p -> p.acceptUnhandledTypes(true)));
    relay.posthorn.relay().pause();
    relay.publish(message("a"), message("a"), Message.of("other").key("a").payload("x").build());

    relay.survey();

    assertThat(stage.value(MeterName.READY, "outbox", "orders", "type", TYPE)).isEqualTo(2);
    assertThat(stage.value(MeterName.READY, "outbox", "orders", "type", "other")).isEqualTo(1);
    assertThat(stage.value(MeterName.PENDING, "outbox", "orders")).isEqualTo(3);
    assertThat(stage.registry.get(MeterName.PENDING.id).gauge().getId().getTag("partition"))
        .isIn("0", "1", "2", "3");
  }

  @Test
  void whatIsNoLongerThereIsShownAsZero() {
    MeteredRelay relay = stage.relay();
    relay.publish(message("a"));
    relay.survey();
    assertThat(stage.value(MeterName.READY, "type", TYPE)).isEqualTo(1);

    relay.drain();
    assertThat(stage.value(MeterName.READY, "type", TYPE)).as("until the next survey").isEqualTo(1);
    relay.survey();

    assertThat(stage.value(MeterName.READY, "type", TYPE)).isZero();
    assertThat(stage.value(MeterName.PENDING)).isZero();
  }

  @Test
  void deferredMessagesAndDeadLettersAreShownByHandlerAndType() {
    MeteredRelay relay = stage.relay();
    stage.failing();
    relay.publish(message("a"), message("a"));
    relay.drain();
    relay.survey();
    assertThat(stage.ofHandler(MeterName.DEFERRED)).isEqualTo(2);
    assertThat(stage.has(MeterName.DEAD)).isFalse();

    relay.pass(SECOND.multipliedBy(5));
    relay.survey();
    assertThat(stage.ofHandler(MeterName.DEFERRED)).isZero();
    assertThat(stage.ofHandler(MeterName.DEAD)).isEqualTo(2);

    relay.posthorn.admin().deadLetters().retryAll(Filter.all());
    relay.survey();
    assertThat(stage.ofHandler(MeterName.DEFERRED)).isEqualTo(2);
    assertThat(stage.ofHandler(MeterName.DEAD)).isZero();
  }

  @Test
  void theOldestReadyMessageShowsItsAge() {
    MeteredRelay relay = stage.relay();
    assertThat(seconds(MeterName.OLDEST_AGE)).isZero();
    relay.publish(message("a"));
    stage.clock.advance(SECOND.multipliedBy(9));

    relay.survey();

    assertThat(seconds(MeterName.OLDEST_AGE)).isEqualTo(9);
  }

  @Test
  void liveInstancesAreShown() {
    MeteredRelay relay = stage.relay();
    relay.survey();
    assertThat(stage.value(MeterName.INSTANCES)).isEqualTo(1);

    stage.clock.advance(Duration.ofMinutes(1));
    relay.survey();
    assertThat(stage.value(MeterName.INSTANCES)).isZero();
  }

  @Test
  void aCountThatEndedAtItsLimitIsShownAsSuch() {
    MeteredRelay relay = stage.relay();
    assertThat(stage.value(MeterName.SURVEY_CAPPED)).isZero();
    relay.publish(IntStream.range(0, 150).mapToObj(any -> message("a")).toArray(Message[]::new));

    relay.survey();

    assertThat(stage.value(MeterName.SURVEY_CAPPED)).isEqualTo(1);
    assertThat(stage.value(MeterName.READY, "type", TYPE)).isEqualTo(100);
  }

  @Test
  void theLastValuesStayWhileTheDatabaseIsAway() {
    WatchedSurveys surveys = new WatchedSurveys(stage.store);
    MeteredRelay relay = stage.relay("a", surveys.store(), any -> {});
    relay.publish(message("a"));
    relay.survey();
    surveys.failWith(StoreException.unavailable("away", null));
    assertThat(stage.value(MeterName.SURVEY_FAILURES, "outbox", "orders")).isZero();
    assertThat(seconds(MeterName.SURVEY_AGE)).isZero();

    stage.clock.advance(SECOND.multipliedBy(20));
    relay.survey();
    relay.survey();

    assertThat(stage.value(MeterName.READY, "type", TYPE)).isEqualTo(1);
    assertThat(stage.value(MeterName.SURVEY_FAILURES)).isEqualTo(2);
    assertThat(seconds(MeterName.SURVEY_AGE)).isEqualTo(20);

    surveys.failWith(null);
    relay.survey();
    assertThat(seconds(MeterName.SURVEY_AGE)).isZero();
    assertThat(stage.value(MeterName.SURVEY_FAILURES)).isEqualTo(2);
  }

  @Test
  void nothingIsClaimedBeforeTheFirstSurvey() {
    try (PosthornMetrics metrics = new PosthornMetrics(stage.registry);
        Posthorn publisher = Posthorn.publishOnly(stage.store, stage.transactions).build()) {
      metrics.watch(publisher);

      assertThat(stage.value(MeterName.INSTANCES)).isNaN();
      assertThat(seconds(MeterName.SURVEY_AGE)).isNaN();
      assertThat(seconds(MeterName.OLDEST_AGE)).isNaN();
    }
  }

  // --- life

  @Test
  void closingTakesTheGaugesAwayForGoodAndLeavesTheCounters() {
    MeteredRelay relay = stage.relay();
    relay.publish(message("a"));
    relay.survey();

    relay.metrics.close();
    relay.survey(); // one that was under way

    assertThat(stage.registry.getMeters())
        .extracting(meter -> meter.getId().getName())
        .containsExactlyInAnyOrder(MeterName.PUBLISHED.id, MeterName.SURVEY_FAILURES.id);
    relay.metrics.close();
  }

  @Test
  void metricsAreBoundOnce() {
    MeteredRelay relay = stage.relay();

    assertThatThrownBy(() -> relay.metrics.bind(relay.posthorn))
        .hasMessage(
            "the metrics of outbox \"orders\" were bound before; make new ones for each outbox");
    relay.metrics.close();
    assertThatThrownBy(() -> relay.metrics.bind(relay.posthorn))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("were closed");
  }

  @Test
  void settingsThatMakeNoSenseAreRefused() {
    PosthornMetrics.Builder builder = PosthornMetrics.builder(stage.registry);

    assertThatThrownBy(() -> builder.surveyInterval(Duration.ZERO))
        .hasMessage("surveyInterval was PT0S but must be positive");
    assertThatThrownBy(() -> builder.surveyLimit(0))
        .hasMessage("surveyLimit was 0 but must be at least 1");
  }
}
