/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.Handler;
import io.posthorn.HandlerSpec;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.spi.StoreException;
import io.posthorn.test.StoreAssert;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a transactional handler's failure means, by what the database says: the tables of {@code
 * docs/failures.md}, on a real server and with a real driver.
 */
class TransactionalFailureDbTest extends OneDatabase {
  private static final RetryPolicy THREE_TRIES = RetryPolicy.fixed(Duration.ofSeconds(1), 3);

  private final AtomicInteger calls = new AtomicInteger();

  @BeforeEach
  void createEffects() {
    database.execute("CREATE TABLE effect (name text PRIMARY KEY)");
  }

  private SteppedRelay booking(Handler<String> handler) {
    return relay(
        "a",
        builder ->
            builder.handler(
                HandlerSpec.of(
                        HANDLER,
                        TYPE,
                        String.class,
                        (String text, Delivery delivery) -> {
                          calls.incrementAndGet();
                          handler.handle(text, delivery);
                        })
                    .retry(THREE_TRIES)
                    .transactional()));
  }

  private void execute(String sql) throws SQLException {
    Connection connection = transactions.current().unwrap(Connection.class);
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String raising(String state) {
    return "RAISE EXCEPTION 'as planned' USING ERRCODE = '%s';".formatted(state);
  }

  private void raise(String state) throws SQLException {
    execute("DO $$ BEGIN " + raising(state) + " END $$");
  }

  private void raiseAt(String event, String table, String state) {
    database.execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN %s END $$"
            .formatted(raising(state)));
    database.execute(
        "CREATE CONSTRAINT TRIGGER refusing AFTER %s ON %s DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()"
            .formatted(event, table));
  }

  private long effects() {
    return database.number("SELECT count(*) FROM effect");
  }

  private void pass(SteppedRelay relay, int seconds) {
    for (int i = 0; i < seconds; i++) {
      database.clock().advance(Duration.ofSeconds(1));
      relay.drain();
    }
  }

  private void assertOutage(SteppedRelay relay) {
    pass(relay, 8);
    assertThat(relay.log().circuits()).containsExactly("mailer opened");
    assertThat(relay.log().retrying()).as("attempts").isEmpty();
    assertThat(database.rows().dead()).isEmpty();
    assertThat(calls).as("probes").hasValueGreaterThan(2);
  }

  private void assertDeadLetterAfterThreeAttempts(SteppedRelay relay) {
    pass(relay, 8);
    assertThat(relay.log().circuits()).isEmpty();
    assertThat(database.rows().dead())
        .singleElement()
        .satisfies(row -> assertThat(row.attempts()).isEqualTo(3));
    assertThat(calls).hasValue(3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"08000", "08001", "08003", "08006", "08P01", "53000", "53100", "53200", "53300"})
  void anUnavailableDatabaseCostsNoAttempt(String state) throws Exception {
    publish("k");
    assertOutage(booking((text, delivery) -> raise(state)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"57P01", "57P02", "57P03", "57P05"})
  void aServerThatIsShuttingDownOrRecoveringCostsNoAttempt(String state) throws Exception {
    publish("k");
    assertOutage(booking((text, delivery) -> raise(state)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"22001", "22P02", "23502", "23505", "23514", "25P02", "40002"})
  void contentThatTheDatabaseRefusesIsTheMessagesOwnFailure(String state) throws Exception {
    publish("k");
    assertDeadLetterAfterThreeAttempts(booking((text, delivery) -> raise(state)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "25006", "25P03", "40001", "40P01", "42501", "42P01", "54000", "55P03", "57014", "P0001",
        "XX000", "XX001"
      })
  void anythingElseIsAnAttemptToo(String state) throws Exception {
    publish("k");
    assertDeadLetterAfterThreeAttempts(booking((text, delivery) -> raise(state)));
  }

  @Test
  void aFailedStatementThatTheHandlerSwallowsEndsAsADeadLetter() throws Exception {
    database.execute("INSERT INTO effect VALUES ('taken')");
    publish("k");

    assertDeadLetterAfterThreeAttempts( // issue 17, M2
        booking(
            (text, delivery) -> {
              try {
                execute("INSERT INTO effect VALUES ('taken')");
              } catch (SQLException e) {
                // "it is there already, fine": the transaction is aborted
              }
            }));
  }

  @ParameterizedTest
  @ValueSource(strings = {"23505", "40002", "40001", "P0001"})
  void whatTheCommitRefusesIsAnAttempt(String state) throws Exception {
    raiseAt("INSERT", "effect", state);
    publish("k");

    assertDeadLetterAfterThreeAttempts(
        booking((text, delivery) -> execute("INSERT INTO effect VALUES ('x')")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"53100", "57P01", "08006"})
  void aCommitForWhichTheDatabaseIsUnavailableCostsNoAttempt(String state) throws Exception {
    raiseAt("INSERT", "effect", state);
    publish("k");
    SteppedRelay relay = booking((text, delivery) -> execute("INSERT INTO effect VALUES ('x')"));

    assertOutage(relay);
    database.execute("DROP TRIGGER refusing ON effect");
    pass(relay, 5);

    assertThat(effects()).isOne();
    assertThat(relay.log().delivered()).hasSize(1);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void anOutcomeThatATriggerRefusesIsAnAttempt() throws Exception {
    publish("k");
    database.execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF current_setting('posthorn.test', true) = 'on' THEN %s END IF; RETURN OLD; END $$"
            .formatted(raising("P0001")));
    for (String table : List.of("outbox_message", "outbox_deferred")) {
      database.execute(
          "CREATE TRIGGER refusing BEFORE DELETE ON %s FOR EACH ROW EXECUTE FUNCTION refuse()"
              .formatted(table));
    }
    SteppedRelay relay =
        booking((text, delivery) -> execute("SELECT set_config('posthorn.test', 'on', true)"));

    assertDeadLetterAfterThreeAttempts(relay);
  }

  @Test
  void aConnectionThatTheServerEndsCostsNoAttempt() throws Exception {
    publish("k");
    AtomicInteger ends = new AtomicInteger(2);
    SteppedRelay relay =
        booking(
            (text, delivery) -> {
              execute("INSERT INTO effect VALUES ('x')");
              if (ends.getAndDecrement() > 0) {
                execute("SELECT pg_terminate_backend(pg_backend_pid())");
              }
            });

    relay.drain();
    pass(relay, 5);

    assertThat(relay.log().circuits()).containsExactly("mailer opened", "mailer closed");
    assertThat(relay.log().retrying()).isEmpty();
    assertThat(relay.log().delivered()).hasSize(1);
    assertThat(effects()).isOne();
  }

  @Test
  void aHandlersOwnNetworkFailureIsNoneOfTheDatabases() throws Exception {
    publish("k");

    assertDeadLetterAfterThreeAttempts(
        booking(
            (text, delivery) -> {
              throw new IOException("no such host");
            }));
  }

  @Test
  void aMessageThatIsCancelledWhileItIsHandledLeavesNoEffectAndDoesNotCount() throws Exception {
    publish("k");
    SteppedRelay relay =
        booking(
            (text, delivery) -> {
              execute("INSERT INTO effect VALUES ('x')");
              database.execute("DELETE FROM outbox_message"); // by another session
            });

    relay.drain();
    pass(relay, 5);

    assertThat(effects()).isZero();
    assertThat(calls).hasValue(1);
    assertThat(relay.log().delivered()).isEmpty();
    assertThat(relay.log().retrying()).isEmpty();
    assertThat(relay.posthorn().relay().status().inMemory()).isZero();
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void laterMessagesOfTheLaneGoOnAfterOneThatWasCancelledWhileItWasHandled() throws Exception {
    publish("k", 2);
    SteppedRelay relay =
        booking(
            (text, delivery) -> {
              execute("INSERT INTO effect VALUES ('%s')".formatted(delivery.messageId()));
              if (calls.get() == 1) {
                database.execute(
                    "DELETE FROM outbox_message WHERE seq = " + delivery.message().seq());
              }
            });

    relay.drain();

    assertThat(effects()).isOne();
    assertThat(relay.log().delivered()).hasSize(1);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void aMessageThatIsCancelledBetweenTwoDeliveriesDoesNotCountAsDelivered() throws Exception {
    publish("k");
    SteppedRelay relay =
        booking(
            (text, delivery) -> {
              execute("INSERT INTO effect VALUES ('x')");
              if (calls.get() == 1) {
                beforeCommit(StoreException.unavailable("no commit was sent", null));
              }
            });
    relay.drain();
    assertThat(relay.log().circuits()).containsExactly("mailer opened");

    database.execute("DELETE FROM outbox_message"); // by another session
    pass(relay, 5);

    assertThat(calls).hasValue(2);
    assertThat(effects()).isZero();
    assertThat(relay.log().delivered()).isEmpty();
    assertThat(relay.posthorn().relay().status().inMemory()).isZero();
  }

  @Test
  void anErrorThrownBeforeTheCommitIsAnAttempt() throws Exception {
    publish("k");

    assertDeadLetterAfterThreeAttempts(
        booking((text, delivery) -> beforeCommit(new StackOverflowError("in a flush"))));
  }

  private void beforeCommit(Throwable thrown) {
    transactions
        .current()
        .beforeCommit(
            () -> {
              if (thrown instanceof Error error) {
                throw error;
              }
              throw (RuntimeException) thrown;
            });
  }
}
