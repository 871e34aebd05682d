/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.posthorn.Delivery;
import io.posthorn.DestinationDownException;
import io.posthorn.Handler;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.Route;
import io.posthorn.boot.OutboxHealth.Limits;
import io.posthorn.boot.OutboxHealth.Verdict;
import io.posthorn.spi.Sender;
import io.posthorn.test.InMemorySender;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.MutableClock;
import io.posthorn.test.StepRunner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutboxHealthTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration MAX_AGE = Duration.ofMinutes(5);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final MutableClock clock = new MutableClock();
  private final InMemoryStore store = new InMemoryStore(clock, 2);
  private final InMemoryTransactions transactions = new InMemoryTransactions();
  private final StepRunner steps = new StepRunner();
  private final List<Posthorn> open = new ArrayList<>();
  private Handler<String> handling = (text, delivery) -> {};
  private int attempts = 1;

  @AfterEach
  void close() {
    open.forEach(Posthorn::close);
  }

  private Posthorn relay() {
    return built(withHandler());
  }

  private Posthorn.Builder withHandler() {
    return Posthorn.inOneProcess(store, transactions)
        .handler("mailer", "mail", String.class, (text, mail) -> handling.handle(text, mail));
  }

  private Posthorn built(Posthorn.Builder builder) {
    Posthorn posthorn =
        builder
            .clock(clock)
            .ticker(clock.ticker())
            .dutyRunner(steps)
            .relay(
                relay ->
                    relay
                        .leaseDuration(LEASE)
                        .executor(Runnable::run)
                        .retry(RetryPolicy.exponential(SECOND, SECOND, attempts)))
            .build();
    open.add(posthorn);
    return posthorn;
  }

  private OutboxHealth healthOf(Posthorn posthorn) {
    return new OutboxHealth(
        posthorn, new Limits(false, MAX_AGE, LEASE, Duration.ZERO), clock.ticker());
  }

  private OutboxHealth started(Posthorn posthorn) {
    OutboxHealth health = healthOf(posthorn);
    posthorn.start();
    health.started();
    steps.drain();
    return health;
  }

  private OutboxHealth publisher() {
    Posthorn posthorn = built(Posthorn.publishOnly(store, transactions));
    OutboxHealth health =
        new OutboxHealth(posthorn, new Limits(true, MAX_AGE, LEASE, Duration.ZERO), clock.ticker());
    posthorn.start();
    health.started();
    return health;
  }

  private void publish(Message message) {
    transactions.run(() -> open.get(0).outbox().publish(message));
  }

  private static Message mail() {
    return Message.of("mail").key("k").payload("{}").build();
  }

  private static void assertDown(Verdict verdict, String problem) {
    assertThat(verdict.up()).isFalse();
    assertThat(verdict.details())
        .extractingByKey("problems", InstanceOfAssertFactories.list(String.class))
        .singleElement()
        .asString()
        .contains(problem);
  }

  private static void assertUp(Verdict verdict) {
    assertThat(verdict.details()).doesNotContainKey("problems");
    assertThat(verdict.up()).isTrue();
  }

  // --- the relay

  @Test
  void aRelayThatRunsAndHasNothingToDoIsWell() {
    Verdict verdict = started(relay()).verdict();

    assertUp(verdict);
    assertThat(verdict.details()).containsExactly(entry("relay", "running"));
  }

  @Test
  void aRelayThatShouldRunAndDoesNotIsDown() {
    Posthorn posthorn = relay();
    OutboxHealth health = started(posthorn);
    posthorn.close();

    Verdict verdict = health.verdict();
    assertDown(verdict, "not running");
    assertThat(verdict.details()).containsEntry("relay", "dead");
  }

  @Test
  void aRelayThatShouldNotRunYetOrNoLongerIsNotDown() {
    Posthorn posthorn = relay();
    OutboxHealth health = healthOf(posthorn);
    Verdict before = health.verdict();
    posthorn.start();
    health.started();
    health.stopping();
    posthorn.close();
    Verdict after = health.verdict();

    assertUp(before);
    assertThat(before.details()).containsExactly(entry("relay", "not started"));
    assertUp(after);
    assertThat(after.details()).containsExactly(entry("relay", "stopped"));
  }

  @Test
  void aRelayThatWasStartedByHandAndDiedIsDown() {
    Posthorn posthorn = relay();
    OutboxHealth health = healthOf(posthorn);
    posthorn.start();
    assertUp(health.verdict());
    posthorn.close();

    assertDown(health.verdict(), "not running");
  }

  @Test
  void aRelayWithoutItsLeaseForLongerThanTheLeaseIsDownUntilItHasOneAgain() {
    OutboxHealth health = started(relay());
    clock.advance(LEASE);
    assertUp(health.verdict());
    clock.advance(LEASE);
    assertUp(health.verdict());
    clock.advance(SECOND);
    assertDown(health.verdict(), "no valid lease for PT31S");

    steps.drain();
    assertUp(health.verdict());

    clock.advance(LEASE);
    assertUp(health.verdict());
  }

  @Test
  void theDelayOfTheStartDoesNotCount() {
    Posthorn posthorn =
        built(withHandler().relay(relay -> relay.startupDelay(Duration.ofMinutes(1))));
    OutboxHealth health =
        new OutboxHealth(
            posthorn, new Limits(false, MAX_AGE, LEASE, Duration.ofMinutes(1)), clock.ticker());
    posthorn.start();
    health.started();
    steps.drain();
    assertUp(health.verdict());
    clock.advance(Duration.ofSeconds(90));
    assertUp(health.verdict());
    clock.advance(SECOND);

    assertDown(health.verdict(), "no valid lease for PT31S");
  }

  // --- the age

  @Test
  void anOutboxWhoseOldestMessageWaitsForTooLongIsDownAtTheSecondLook() {
    OutboxHealth health = publisher();
    publish(mail());
    clock.advance(MAX_AGE);
    assertUp(health.verdict());
    clock.advance(OutboxHealth.SECOND_LOOK);
    Verdict first = health.verdict();
    assertUp(first);
    assertThat(first.details()).containsEntry("oldestAge", "PT5M10S");
    clock.advance(OutboxHealth.SECOND_LOOK);

    assertDown(health.verdict(), "waited for PT5M20S, longer than posthorn.health.max-age (PT5M)");
  }

  @Test
  void anAgeThatWasTooHighBeforeAndAgainLaterIsLookedAtTwiceOnceMore() {
    OutboxHealth health = publisher();
    publish(mail());
    clock.advance(MAX_AGE.plus(SECOND));
    assertUp(health.verdict());
    OutboxHealth relay = started(relay());
    clock.advance(OutboxHealth.SECOND_LOOK);
    assertUp(health.verdict());
    assertUp(relay.verdict());

    publish(mail());
    clock.advance(MAX_AGE.plus(SECOND));
    assertUp(health.verdict());
  }

  @Test
  void aDelayedMessageThatHasJustFallenDueIsNotTooOld() {
    Posthorn posthorn = relay();
    OutboxHealth health = started(posthorn);
    List<Verdict> duringDelivery = new ArrayList<>();
    handling = (text, delivery) -> duringDelivery.add(health.verdict());
    publish(mail().toBuilder().deliverAfter(Duration.ofMinutes(10)).build());
    for (int second = 0; second <= 600; second++) {
      clock.advance(SECOND);
      steps.drain();
    }

    assertThat(duringDelivery).singleElement().satisfies(OutboxHealthTest::assertUp);
    assertThat(duringDelivery.get(0).details())
        .extractingByKey("oldestAge", InstanceOfAssertFactories.STRING)
        .startsWith("PT10M");
    assertUp(health.verdict());
  }

  @Test
  void aProcessThatOnlyPublishesHasNoRelayToDie() {
    Verdict verdict = publisher().verdict();

    assertUp(verdict);
    assertThat(verdict.details()).containsExactly(entry("relay", "in other processes"));
  }

  // --- what is not as it should be, but no reason to be down

  @Test
  void deadLettersAreTold() {
    OutboxHealth health = started(relay());
    handling = OutboxHealthTest::failing;
    publish(mail());
    steps.drain();

    Verdict verdict = health.verdict();
    assertUp(verdict);
    assertThat(verdict.details()).containsEntry("deadLetters", 1L);
  }

  @Test
  void openCircuitsAreTold() {
    OutboxHealth health = started(relay());
    handling =
        (text, delivery) -> {
          throw new DestinationDownException("the mail server is away", null);
        };
    publish(mail());
    steps.drain();

    Verdict verdict = health.verdict();
    assertUp(verdict);
    assertThat(verdict.details()).containsEntry("openCircuits", List.of("mailer"));
  }

  @Test
  void unavailableDestinationsAreToldAndLeaveTheCircuitClosed() { // issue 18, "Must hold" 2
    AtomicBoolean unavailable = new AtomicBoolean(true);
    InMemorySender broker = new InMemorySender();
    Sender partlyDown =
        message -> {
          if (message.destination().equals("closed") && unavailable.get()) {
            throw DestinationDownException.of("closed", "not allowed", null);
          }
          return broker.send(message);
        };
    OutboxHealth health =
        started(
            built(
                withHandler()
                    .sender("kafka", partlyDown)
                    .route(Route.type("order").to("kafka", "closed"))));
    publish(Message.of("order").key("k").payload("{}").build());
    steps.drain();

    Verdict verdict = health.verdict();
    assertUp(verdict);
    assertThat(verdict.details())
        .containsEntry("unavailable", List.of("kafka: closed"))
        .doesNotContainKey("openCircuits");

    unavailable.set(false);
    for (int second = 0; second < 5; second++) {
      clock.advance(SECOND);
      steps.drain();
    }
    assertThat(broker.sent()).hasSize(1);
    assertThat(health.verdict().details()).doesNotContainKey("unavailable");
  }

  @Test
  void blockedLanesAreTold() {
    attempts = 2;
    OutboxHealth health = started(relay());
    handling = OutboxHealthTest::failing;
    publish(mail());
    steps.drain();

    Verdict verdict = health.verdict();
    assertUp(verdict);
    assertThat(verdict.details()).containsEntry("blockedLanes", 1L);
  }

  private static void failing(String text, Delivery delivery) {
    throw new IllegalStateException("no mail today");
  }

  @Test
  void pausesAreTold() {
    Posthorn posthorn = relay();
    OutboxHealth health = started(posthorn);
    posthorn.admin().fleet().pauseHandler("mailer");
    steps.drain();

    Verdict verdict = health.verdict();
    assertUp(verdict);
    assertThat(verdict.details()).containsEntry("paused", List.of("mailer"));
  }
}
