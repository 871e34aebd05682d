/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.posthorn.spi.StoreException.Kind;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.fault.FaultyStore;
import io.posthorn.test.fault.FaultyStore.Step;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Outcomes that the database does not store, for a reason that is neither its absence nor their
 * content. Issue 17, M8.
 */
class SetAsideOutcomeTest {
  private static final Duration SHORT = Duration.ofMillis(60);

  private final Scene scene = new Scene(1);
  private final FaultyStore store = new FaultyStore(scene.store());
  private final SteppedRelay relay = relay("a");

  private SteppedRelay relay(String name) {
    return scene.relay(
        name,
        store,
        builder -> builder.handler("mailer", "t", String.class, (payload, delivery) -> {}));
  }

  @AfterEach
  void stop() {
    store.failOutcomes(Kind.UNKNOWN, seq -> false);
    scene.clock().advance(Duration.ofSeconds(1));
    scene.close();
  }

  private void publish(int messages) {
    for (int i = 1; i <= messages; i++) {
      relay.publish(message("t", "k" + i, String.valueOf(i)));
    }
  }

  /** Lets a group be divided as often as it takes. */
  private void passShortly(SteppedRelay stepped) {
    stepped.drain();
    for (int i = 0; i < 12; i++) {
      scene.clock().advance(SHORT);
      stepped.drain();
    }
  }

  private int inMemory() {
    return relay.posthorn().relay().status().inMemory();
  }

  @Test
  void oneOutcomeThatCannotBeStoredIsIsolatedAndTheOthersAreStored() {
    publish(100);
    store.failOutcomes(Kind.UNKNOWN, seq -> seq == 77);

    passShortly(relay);

    assertThat(scene.rows().ready()).extracting(row -> row.key()).containsExactly("k77");
    assertThat(inMemory()).isOne();
  }

  @Test
  void whatCannotBeStoredAloneIsTriedOnceASecondWhileOthersGoOn() {
    publish(1);
    AtomicInteger tried = new AtomicInteger();
    store.failOutcomes(Kind.UNKNOWN, seq -> seq == 1 && tried.incrementAndGet() > 0);
    relay.drain();
    tried.set(0);

    relay.pass(Duration.ofSeconds(60));
    publish(50);
    relay.drain();

    assertThat(tried).hasValueBetween(58, 60);
    assertThat(scene.rows().ready()).extracting(row -> row.seq()).containsExactly(1L);
  }

  @Test
  void whatWasSetAsideIsStoredOnceTheReasonHasPassed() {
    publish(10);
    store.failOutcomes(Kind.UNKNOWN, seq -> seq % 3 == 0);
    passShortly(relay);
    relay.pass(Duration.ofMinutes(10));
    assertThat(scene.rows().ready()).extracting(row -> row.seq()).containsExactly(3L, 6L, 9L);

    store.failOutcomes(Kind.UNKNOWN, seq -> false);
    relay.pass(Duration.ofSeconds(2));

    StoreAssert.assertThat(scene.rows()).hasNoMessages();
    assertThat(inMemory()).isZero();
    assertThat(relay.log().delivered()).as("nothing was delivered again").hasSize(10);
  }

  @Test
  void aFailureThatPassesAtOnceCostsNothing() {
    publish(4);
    store.failBefore(Step.SETTLE, Kind.UNKNOWN); // a deadlock, for example

    relay.drain();
    relay.pass(SHORT);

    StoreAssert.assertThat(scene.rows()).hasNoMessages();
    assertThat(relay.log().delivered()).hasSize(4);
  }

  @Test
  void whenNothingCanBeStoredFewTriesAreMadeAndAllIsStoredSoonAfterwards() {
    publish(500);
    AtomicInteger tried = new AtomicInteger();
    store.failOutcomes(Kind.UNKNOWN, seq -> tried.incrementAndGet() > 0); // one call for each try
    relay.drain();
    for (int i = 0; i < 1_000; i++) {
      scene.clock().advance(Duration.ofMillis(10));
      relay.drain();
    }
    assertThat(tried).as("tries in ten seconds").hasValueLessThan(205);
    assertThat(scene.rows().ready()).hasSize(500);

    store.failOutcomes(Kind.UNKNOWN, seq -> false);
    relay.pass(Duration.ofSeconds(3));

    StoreAssert.assertThat(scene.rows()).hasNoMessages();
    assertThat(inMemory()).isZero();
  }

  @Test
  void contentThatIsRefusedAmongOthersIsGivenUpAndTheOthersAreStored() {
    publish(8);
    store.failBefore(Step.SETTLE, Kind.UNKNOWN);
    store.failOutcomes(Kind.CONTENT, seq -> seq == 5);

    passShortly(relay);

    assertThat(scene.rows().ready()).extracting(row -> row.seq()).containsExactly(5L);
    assertThat(inMemory()).isZero();
  }

  @Test
  void nothingThatWasSetAsideIsForgottenWhenTheStoreGoesAway() {
    publish(8);
    store.failOutcomes(Kind.UNKNOWN, seq -> seq == 5);
    relay.drain();
    store.away(true);
    scene.clock().advance(SHORT);
    assertThat(catchThrowable(relay::drain)).isNotNull();

    store.away(false);
    store.failOutcomes(Kind.UNKNOWN, seq -> false);
    passShortly(relay);
    relay.pass(Duration.ofSeconds(1));

    StoreAssert.assertThat(scene.rows()).hasNoMessages();
    assertThat(relay.log().delivered()).hasSize(8);
  }

  @Test
  void withItsLeaseARelayLosesWhatItHadSetAside() {
    publish(8);
    store.failOutcomes(Kind.UNKNOWN, seq -> true);
    relay.drain();
    SteppedRelay other = relay("b");
    scene.clock().advance(Duration.ofSeconds(31));
    other.drain();
    store.failOutcomes(Kind.UNKNOWN, seq -> false);
    passShortly(other);

    passShortly(relay);
    relay.pass(Duration.ofSeconds(2));

    assertThat(relay.log().expelled()).hasSize(1);
    assertThat(other.log().delivered()).hasSize(8);
    assertThat(inMemory()).isZero();
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void withoutALeaseNothingThatWasSetAsideIsTried() {
    publish(2);
    AtomicInteger tried = new AtomicInteger();
    store.failOutcomes(Kind.UNKNOWN, seq -> tried.incrementAndGet() > 0);
    relay.drain();
    tried.set(0);

    scene.clock().advance(Duration.ofSeconds(28)); // past its own deadline, not yet expelled
    relay.steps().step("settle");

    assertThat(tried).hasValue(0);
  }
}
