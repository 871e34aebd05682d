/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.Transaction;
import io.posthorn.spi.Transactions;
import io.posthorn.test.StoreAssert;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Promise 8: effects in the same database can be exactly once; a transactional handler settles in
 * its own transaction.
 */
class Promise8DbTest extends OneDatabase {
  private final AtomicInteger calls = new AtomicInteger();

  @BeforeEach
  void createEffects() {
    database.execute("CREATE TABLE effect (message_id uuid NOT NULL)");
  }

  private void effect(Delivery delivery) throws Exception {
    calls.incrementAndGet();
    Connection connection = transactions.current().unwrap(Connection.class);
    try (PreparedStatement insert = connection.prepareStatement("INSERT INTO effect VALUES (?)")) {
      insert.setObject(1, delivery.messageId());
      insert.executeUpdate();
    }
  }

  private HandlerSpec<String> booking() {
    return HandlerSpec.of(HANDLER, TYPE, String.class, (text, delivery) -> effect(delivery))
        .transactional();
  }

  private long effects() {
    return database.number("SELECT count(*) FROM effect");
  }

  private SteppedRelay relay(String name, Transactions with, Consumer<Posthorn.Builder> settings) {
    return keep(new SteppedRelay(name, store, with, database.clock(), settings));
  }

  @Test
  void promise8_theEffectAndTheSettlingAreOneTransaction() throws Exception {
    publish("k", 5);
    publish((String) null);
    SteppedRelay relay = relay("a", builder -> builder.handler(booking()));

    relay.steps().step("lease");
    relay.steps().step("read"); // delivered; no settle has run

    assertThat(effects()).isEqualTo(6);
    assertThat(database.rows().noMessages()).isTrue();
    relay.drain();
    assertThat(calls).hasValue(6);
    assertThat(relay.log().deliveredSeqs(HANDLER, "k")).isSorted().hasSize(5);
  }

  @Test
  void aCrashAfterTheDeliveryRepeatsNoEffect() throws Exception {
    publish("k", 3);
    SteppedRelay first = relay("a", builder -> builder.handler(booking()));
    first.steps().step("lease");
    first.steps().step("read"); // and dies: nothing more of it runs
    SteppedRelay second = relay("b", builder -> builder.handler(booking()));
    database.clock().advance(SteppedRelay.LEASE.plusSeconds(1));

    second.drain();

    assertThat(effects()).isEqualTo(3);
    assertThat(calls).hasValue(3);
  }

  @Test
  void aFailureTakesTheEffectBackAndIsRetried() throws Exception {
    UUID id = publish("k");
    SteppedRelay relay =
        relay(
            "a",
            builder ->
                builder.handler(
                    HandlerSpec.of(
                            HANDLER,
                            TYPE,
                            String.class,
                            (text, delivery) -> {
                              effect(delivery);
                              if (delivery.attempt() == 1) {
                                throw new IllegalStateException("after the effect");
                              }
                            })
                        .transactional()));
    relay.drain();
    assertThat(effects()).isZero();
    assertThat(database.rows().deferred()).hasSize(1);

    database.clock().advance(Duration.ofSeconds(1));
    relay.drain();

    assertThat(effects()).isEqualTo(1);
    relay.log().assertDelivered(HANDLER, id);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void besideAnotherHandlerTheMessageIsSplitFirst() throws Exception {
    publish("k", 3);
    publish((String) null);
    AtomicInteger others = new AtomicInteger();
    SteppedRelay relay =
        relay(
            "a",
            builder ->
                builder
                    .handler(booking())
                    .handler(
                        "ledger",
                        TYPE,
                        String.class,
                        (text, delivery) -> others.incrementAndGet()));

    relay.drain();
    database.clock().advance(Duration.ofSeconds(2));
    relay.drain();

    assertThat(effects()).isEqualTo(4);
    assertThat(calls).hasValue(4);
    assertThat(others).hasValue(4);
    assertThat(relay.log().deliveredSeqs(HANDLER, "k")).isSorted().hasSize(3);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void aRelayThatWasExpelledLeavesNoEffect() throws Exception {
    publish("k");
    SteppedRelay[] second = new SteppedRelay[1];
    SteppedRelay first =
        relay(
            "a",
            builder ->
                builder.handler(
                    HandlerSpec.of(
                            HANDLER,
                            TYPE,
                            String.class,
                            (text, delivery) -> {
                              effect(delivery);
                              if (second[0] == null) { // the process was frozen here
                                database.clock().advance(SteppedRelay.LEASE.plusSeconds(1));
                                second[0] = relay("b", other -> other.handler(booking()));
                                inAnotherThread(second[0]::drain);
                              }
                            })
                        .transactional()));

    first.drain();

    assertThat(effects()).isEqualTo(1);
    assertThat(calls).hasValue(2);
    assertThat(second[0].log().delivered()).hasSize(1);
    assertThat(first.log().delivered()).isEmpty();
  }

  @Test
  void whenTheAnswerToTheCommitIsLostTheRowTells() throws Exception {
    publish("k", 2);
    AtomicInteger commits = new AtomicInteger();
    SteppedRelay relay =
        relay("a", new LosingAnswers(transactions, commits), builder -> builder.handler(booking()));
    relay.drain();
    assertThat(relay.log().circuits()).containsExactly("mailer opened");

    database.clock().advance(Duration.ofSeconds(2));
    relay.drain();

    assertThat(effects()).as("exactly once").isEqualTo(2);
    assertThat(calls).as("called once more, and rolled back").hasValue(3);
    assertThat(relay.log().delivered()).hasSize(2).allMatch(delivery -> delivery.attempt() == 1);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void whatTheHandlerPublishesGoesWithItsTransaction() throws Exception {
    publish("k");
    SteppedRelay[] self = new SteppedRelay[1];
    self[0] =
        relay(
            "a",
            builder ->
                builder
                    .handler(
                        HandlerSpec.of(
                                HANDLER,
                                TYPE,
                                String.class,
                                (text, delivery) -> {
                                  self[0].posthorn().outbox().publish("follow-up", "{}");
                                  if (delivery.attempt() == 1) {
                                    throw new IllegalStateException("after publishing");
                                  }
                                })
                            .transactional())
                    .handler("next", "follow-up", String.class, (text, delivery) -> {}));
    self[0].drain();
    database.clock().advance(Duration.ofSeconds(1));
    self[0].drain();

    assertThat(self[0].log().delivered())
        .extracting(Delivery::handler)
        .containsExactly(HANDLER, "next");
  }

  private static void inAnotherThread(Runnable work) throws InterruptedException {
    Thread thread = new Thread(work);
    thread.start();
    thread.join(60_000);
  }

  /** Commits, but the answer to the first commit is lost. */
  private record LosingAnswers(Transactions transactions, AtomicInteger commits)
      implements Transactions {
    @Override
    public Transaction current() {
      return transactions.current();
    }

    @Override
    public boolean canBegin() {
      return true;
    }

    @Override
    public <T> T inTransaction(Callable<T> work) throws Exception {
      T result = transactions.inTransaction(work);
      if (commits.incrementAndGet() == 1) {
        throw StoreException.unavailable("the answer was lost", null);
      }
      return result;
    }
  }
}
