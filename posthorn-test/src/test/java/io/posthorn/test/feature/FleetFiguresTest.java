/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.posthorn.DestinationDownException;
import io.posthorn.Fleet;
import io.posthorn.Fleet.HandlerState;
import io.posthorn.Fleet.Instance;
import io.posthorn.Fleet.Rates;
import io.posthorn.Fleet.Sample;
import io.posthorn.Posthorn;
import io.posthorn.RelayStatus;
import io.posthorn.RelayStatus.HandlerStatus;
import io.posthorn.test.StepRunner;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What any process can see of the relays of the fleet, and what it remembers of the last hour. */
class FleetFiguresTest {
  private static final Duration BEAT = Duration.ofSeconds(5);
  private static final Duration STEP = Duration.ofSeconds(10);
  private static final Offset<Double> ABOUT = within(0.01);

  private final Scene scene = new Scene(4);
  private final StepRunner steps = new StepRunner();
  private final Posthorn web =
      Posthorn.publishOnly(scene.store(), scene.transactions())
          .clock(scene.clock())
          .ticker(scene.clock().ticker())
          .dutyRunner(steps)
          .build();
  private final Fleet publisher = web.admin().fleet();
  private boolean away;
  private boolean failing;

  private SteppedRelay relay(String name) {
    return scene.relay(
        name,
        builder ->
            builder
                .relay(r -> r.applicationVersion("shop 7"))
                .handler("mailer", "t", String.class, (payload, delivery) -> handle())
                .handler("audit", "t", String.class, (payload, delivery) -> {}));
  }

  private void handle() {
    if (away) {
      throw new DestinationDownException("away", null);
    }
    if (failing) {
      throw new IllegalStateException("no route");
    }
    scene.clock().advance(Duration.ofMillis(20));
  }

  @AfterEach
  void stop() {
    scene.close();
    web.close();
  }

  private static void publish(SteppedRelay relay, int count) {
    for (int i = 0; i < count; i++) {
      relay.publish(message("t", "k" + i, "x"));
    }
  }

  private RelayStatus onlyStatus() {
    RelayStatus status = publisher.instances().get(0).status();
    assertThat(status).isNotNull();
    return status;
  }

  private HandlerStatus mailer() {
    HandlerStatus mailer = onlyStatus().handlers().get("mailer");
    assertThat(mailer).isNotNull();
    return mailer;
  }

  // --- instances

  @Test
  void aRelayReportsWithItsFirstHeartbeat() {
    SteppedRelay relay = relay("a");
    relay.drain();
    assertThat(publisher.instances())
        .singleElement()
        .satisfies(instance -> assertThat(instance.status()).isNull());

    relay.pass(BEAT);

    Instance instance = publisher.instances().get(0);
    assertThat(instance.heartbeatAt()).isEqualTo(scene.clock().instant());
    assertThat(instance.leaseEnd()).isEqualTo(scene.clock().instant().plusSeconds(30));
    assertThat(onlyStatus().program().version()).matches("[0-9]+\\.[0-9].*");
    assertThat(onlyStatus().program().applicationVersion()).isEqualTo("shop 7");
    assertThat(onlyStatus().program().startedAt()).isEqualTo(scene.clock().instant().minus(BEAT));
    assertThat(onlyStatus().leaseValid()).isTrue();
    assertThat(onlyStatus().epochs().keySet()).containsExactlyInAnyOrder(0, 1, 2, 3);
  }

  @Test
  void anyProcessSeesWhatARelayHasInMemory() {
    SteppedRelay relay = relay("a");
    relay.drain();
    away = true;
    publish(relay, 3);
    relay.pass(BEAT);

    assertThat(mailer().circuitOpen()).isTrue();
    assertThat(mailer().inMemory()).isEqualTo(relay.posthorn().relay().status().inMemory());
    assertThat(onlyStatus().inMemory()).isPositive();
    assertThat(onlyStatus().bytesInMemory()).isPositive();
    assertThat(onlyStatus().counts().published()).isEqualTo(3);
    assertThat(onlyStatus().counts().delivered()).as("to audit").isEqualTo(3);
    assertThat(publisher.handlers())
        .filteredOn(handler -> handler.name().equals("mailer"))
        .singleElement()
        .satisfies(handler -> assertThat(handler.circuitOpen()).containsExactly("a"));
  }

  @Test
  void ratesAreThoseSinceTheHeartbeatBefore() {
    SteppedRelay relay = relay("a");
    relay.drain();
    relay.pass(BEAT);
    publish(relay, 20);
    relay.drain();
    Instant before = publisher.instances().get(0).heartbeatAt();
    relay.pass(BEAT);
    Instant after = publisher.instances().get(0).heartbeatAt();

    double seconds = Duration.between(before, after).toMillis() / 1_000.0;
    assertThat(mailer().throughput().delivered()).isEqualTo(20);
    assertThat(mailer().throughput().deliveredPerSecond()).isEqualTo(20 / seconds, ABOUT);
    assertThat(mailer().throughput().averageTime()).isEqualTo(Duration.ofMillis(20));

    relay.pass(BEAT);
    assertThat(mailer().throughput().delivered()).isEqualTo(20);
    assertThat(mailer().throughput().deliveredPerSecond()).isZero();
    assertThat(mailer().throughput().averageTime()).isZero();
  }

  @Test
  void failuresAreCountedByHandler() {
    SteppedRelay relay = relay("a");
    relay.drain();
    failing = true;
    publish(relay, 1);
    relay.pass(BEAT);

    assertThat(mailer().throughput().failed()).isGreaterThanOrEqualTo(3);
    assertThat(mailer().throughput().failedPerSecond()).isPositive();
    assertThat(mailer().throughput().delivered()).isZero();
    assertThat(onlyStatus().handlers().get("audit"))
        .satisfies(audit -> assertThat(audit.throughput().failed()).isZero());
  }

  // --- handlers

  @Test
  void handlersAreSeenOverTheWholeFleet() {
    SteppedRelay a = relay("a");
    SteppedRelay b = relay("b");
    for (int i = 0; i < 12; i++) { // until each has its share
      a.drain();
      b.drain();
      scene.clock().advance(Duration.ofSeconds(1));
    }
    publisher.pauseHandler("audit");
    publisher.pauseHandler("gone");
    Instant paused = scene.clock().instant();

    List<HandlerState> handlers = publisher.handlers();

    assertThat(handlers).extracting(HandlerState::name).containsExactly("audit", "gone", "mailer");
    assertThat(handlers.get(0).relays()).containsExactly("a", "b");
    assertThat(handlers.get(0).types()).isEqualTo(Set.of("t"));
    assertThat(handlers.get(0).pausedSince()).isEqualTo(paused);
    assertThat(handlers.get(1).relays()).isEmpty();
    assertThat(handlers.get(1).pausedSince()).isEqualTo(paused);
    assertThat(handlers.get(2).pausedSince()).isNull();
  }

  @Test
  void aReportThatNobodyCanReadHidesNoInstance() {
    SteppedRelay relay = relay("a");
    relay.drain();
    scene
        .store()
        .relay(Duration.ofSeconds(30))
        .heartbeat(publisher.instances().get(0).identity(), "of another version");

    assertThat(publisher.instances())
        .singleElement()
        .satisfies(
            instance -> {
              assertThat(instance.status()).isNull();
              assertThat(instance.heartbeatAt()).isNotNull();
            });
    assertThat(publisher.handlers()).hasSize(2);
  }

  // --- the last hour

  @Test
  void nothingIsRecordedUntilSomebodyAsks() {
    SteppedRelay relay = relay("a");
    relay.pass(STEP.multipliedBy(3));
    assertThat(relay.posthorn().admin().fleet().recent()).isEmpty();

    relay.pass(STEP.multipliedBy(3));
    assertThat(relay.posthorn().admin().fleet().recent()).hasSize(2);
  }

  @Test
  void eachProcessSeesTheFiguresOfTheFleet() {
    SteppedRelay a = relay("a");
    SteppedRelay b = relay("b");
    a.posthorn().admin().fleet().recent();
    for (int second = 0; second < 60; second++) {
      if (second >= 30) {
        publish(b, 4);
      }
      a.pass(Duration.ofSeconds(1));
      b.drain();
    }

    List<Sample> recent = a.posthorn().admin().fleet().recent();

    assertThat(recent).hasSizeBetween(4, 8);
    assertThat(recent).extracting(Sample::at).isSorted().doesNotHaveDuplicates();
    Rates first = recent.get(0).perSecond();
    assertThat(first).isEqualTo(new Rates(0, 0, 0, 0));
    Sample last = recent.get(recent.size() - 1);
    assertThat(last.instances()).isEqualTo(2);
    // 4 a second, of which each takes 20 ms at mailer: the clock goes by more than a second.
    assertThat(last.perSecond().published()).isBetween(3.0, 4.0);
    assertThat(last.perSecond().delivered())
        .isEqualTo(2 * last.perSecond().published(), within(1.5));
    assertThat(last.perSecond().dead()).isZero();
  }

  @Test
  void whatWaitsAndWhatDiedIsInTheFigures() {
    SteppedRelay relay = relay("a");
    relay.posthorn().admin().fleet().recent();
    relay.pass(STEP);
    failing = true;
    publish(relay, 5);
    relay.pass(STEP.multipliedBy(2));

    List<Sample> recent = relay.posthorn().admin().fleet().recent();

    Sample last = recent.get(recent.size() - 1);
    assertThat(last.perSecond().retried()).isPositive();
    assertThat(last.deferred() + last.dead()).isEqualTo(5);
    assertThat(last.capped()).isFalse();
  }

  @Test
  void aProcessThatOnlyPublishesCountsItsOwn() {
    record();
    for (int i = 0; i < 30; i++) {
      scene.publish(web, message("t", "k" + i, "x"));
    }
    scene.clock().advance(STEP);
    steps.drain();

    Sample last = last();
    assertThat(last.perSecond().published()).isEqualTo(3, ABOUT);
    assertThat(last.ready()).isEqualTo(30);
    assertThat(last.oldestReady()).isEqualTo(STEP);
    assertThat(last.instances()).isZero();
  }

  @Test
  void anHourIsKept() {
    record();
    for (int i = 0; i < 400; i++) {
      scene.clock().advance(STEP);
      steps.drain();
    }

    assertThat(publisher.recent()).hasSize(360);
    assertThat(publisher.recent().get(0).at())
        .isEqualTo(scene.clock().instant().minus(STEP.multipliedBy(359)));
  }

  @Test
  void aRelayThatWasRestartedIsNotCountedTwice() {
    record();
    SteppedRelay first = relay("a");
    publish(first, 50);
    first.pass(STEP);
    steps.drain();
    assertThat(last().perSecond().delivered()).isPositive();

    first.close();
    SteppedRelay second = relay("a");
    second.pass(STEP);
    steps.drain();

    assertThat(last().instances()).isEqualTo(1);
    assertThat(last().perSecond().delivered()).isZero();
  }

  @Test
  void aRelayWhoseLeaseHasEndedDeliversNothing() {
    record();
    SteppedRelay relay = relay("a");
    relay.drain();
    away = true;
    relay.pass(BEAT);
    publish(relay, 20);
    relay.pass(BEAT);
    steps.drain();
    assertThat(last().perSecond().delivered()).isPositive();
    assertThat(publisher.handlers().get(0).deliveredPerSecond()).isPositive();
    assertThat(publisher.handlers().get(1).circuitOpen()).containsExactly("a");
    assertThat(publisher.handlers().get(1).inMemory()).isPositive();

    scene.clock().advance(Duration.ofSeconds(31));
    steps.drain();

    assertThat(publisher.instances()).noneMatch(Instance::leaseValid).hasSize(1);
    assertThat(last().perSecond()).isEqualTo(new Rates(0, 0, 0, 0));
    assertThat(publisher.handlers())
        .extracting(HandlerState::name)
        .containsExactly("audit", "mailer");
    assertThat(publisher.handlers())
        .allSatisfy(
            handler -> {
              assertThat(handler.types()).containsExactly("t");
              assertThat(handler.relays()).isEmpty();
              assertThat(handler.circuitOpen()).isEmpty();
              assertThat(handler.inMemory()).isZero();
              assertThat(handler.deliveredPerSecond()).isZero();
            });
  }

  /** Begins to record in the process that only publishes. */
  private void record() {
    web.start();
    assertThat(publisher.recent()).isEmpty();
    steps.drain();
  }

  private Sample last() {
    List<Sample> recent = publisher.recent();
    return recent.get(recent.size() - 1);
  }
}
