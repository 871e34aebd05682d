/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.spi.MessageStore;
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Dead letters and deferred messages that have outlived a set-back of the sequence do not get in
 * the way of messages with the same seq.
 */
class SurvivingRowsDbTest {
  private static final String KEY = "k";

  private TestDatabase database;
  private Posthorn publisher;
  private JdbcTransactions transactions;
  private SteppedRelay relay;
  private boolean fails = true;

  private void start(String name, RetryPolicy retry) {
    database = name.equals("h2") ? TestDatabase.h2() : TestDatabase.postgres();
    transactions = database.transactions();
    MessageStore store = database.store();
    store.open();
    publisher = Posthorn.publishOnly(store, transactions).clock(database.clock()).build();
    relay =
        new SteppedRelay(
            "a",
            store,
            transactions,
            database.clock(),
            builder ->
                builder
                    .relay(options -> options.retry(retry))
                    .handler(
                        "mailer",
                        "order",
                        String.class,
                        (text, delivery) -> {
                          if (fails) {
                            throw new IllegalStateException("down");
                          }
                        }));
    relay.drain();
  }

  @AfterEach
  void stop() {
    relay.close();
    publisher.close();
    database.close();
  }

  private UUID publish() throws Exception {
    return transactions.call(
        connection ->
            publisher.outbox().publish(Message.of("order").key(KEY).payload("x").build()));
  }

  /** Before a relay looks. */
  private void setSequenceBack(String name) {
    database.execute(
        name.equals("h2")
            ? "ALTER SEQUENCE outbox_seq RESTART WITH 1"
            : "SELECT setval('outbox_seq', 1, false)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgres", "h2"})
  void messageWithTheSeqOfADeadLetterBecomesADeadLetterToo(String name) throws Exception {
    start(name, RetryPolicy.none());
    publish();
    relay.drain();
    setSequenceBack(name);
    publish();
    relay.drain();

    StoredRows rows = database.rows();
    assertThat(rows.ready()).isEmpty();
    assertThat(rows.dead()).hasSize(2);
    assertThat(rows.dead().get(0).seq()).isEqualTo(1);
    assertThat(relay.posthorn().admin().deadLetters().retryAll(Admin.Filter.all())).isEqualTo(2);
    fails = false;
    relay.drain();
    assertThat(database.rows().noMessages()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgres", "h2"})
  void messageWithTheSeqOfADeferredOneIsRetriedToo(String name) throws Exception {
    start(name, RetryPolicy.fixed(Duration.ofSeconds(30), 5));
    Set<UUID> published = new HashSet<>();
    published.add(publish());
    relay.drain();
    setSequenceBack(name);
    published.add(publish());
    relay.drain();

    StoredRows rows = database.rows();
    assertThat(rows.ready()).isEmpty();
    assertThat(rows.deferred()).hasSize(2);
    fails = false;
    database.clock().advance(Duration.ofSeconds(31));
    relay.drain();
    published.forEach(message -> relay.log().assertDelivered("mailer", message));
    assertThat(database.rows().noMessages()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgres", "h2"})
  void deadLetterIsRetriedThoughAWaitingMessageHasItsSeq(String name) throws Exception {
    start(name, RetryPolicy.none());
    publish();
    relay.drain();
    assertThat(database.rows().dead()).hasSize(1);
    database.execute(
        """
        INSERT INTO outbox_deferred (partition_no, seq, handler, id, type, content_type, payload, occurred_at, created_at,
                                     in_lane, reason, attempts, due_at, deferred_at)
        SELECT partition_no, seq, handler, '00000000-0000-0000-0000-000000000001', type, content_type, payload, occurred_at, created_at,
               FALSE, 'RETRYING', 1, created_at, created_at FROM outbox_dead
        """);
    fails = false;
    assertThat(relay.posthorn().admin().deadLetters().retryAll(Admin.Filter.all())).isEqualTo(1);
    relay.drain();
    assertThat(relay.log().delivered()).hasSize(2);
    assertThat(database.rows().noMessages()).isTrue();
  }
}
