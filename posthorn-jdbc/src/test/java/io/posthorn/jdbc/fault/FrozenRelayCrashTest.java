/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A relay in a JVM of its own is stopped by SIGSTOP past its lease, and goes on when another one
 * has taken over.
 */
@Timeout(120)
class FrozenRelayCrashTest {
  private static final String FROZEN = "frozen";
  private static final String SUCCESSOR = "successor";

  private final LiveDatabase database = LiveDatabase.onSharedServer();
  private final Receipts receipts = Receipts.createIn(database);
  private final ChangeLog changes = ChangeLog.createIn(database);
  private final HikariDataSource pool = database.pool(SUCCESSOR, 20);
  private final JdbcTransactions transactions = new JdbcTransactions(pool);
  private final Posthorn publisher =
      Posthorn.publishOnly(LiveDatabase.store(pool).build(), transactions).build();
  private final Await await = new Await(this::evidence);
  private SecondJvm frozen;
  private Posthorn successor;

  @BeforeEach
  void startTheRelayThatWillBeFrozen() throws Exception {
    frozen = SecondJvm.relay(database, FROZEN);
    await.until("the relay owns all partitions", () -> owned(FROZEN) == 8);
  }

  @AfterEach
  void stop() {
    if (successor != null) {
      successor.stop(Duration.ofSeconds(10));
    }
    frozen.close();
    database.close();
  }

  @Test
  void relayStoppedPastItsLeaseChangesNoRowWhenItWakes() throws Exception {
    frozen.tell("hold handler");
    List<UUID> early = publishOrders(40);
    await.until("all workers deliver", () -> receipts.started(FROZEN) == RelayProcess.WORKERS);
    // The worst order of things: its workers run again long before its next heartbeat.
    holdAt("UPDATE outbox_heartbeat SET good_until");
    frozen.freeze();

    startSuccessor();
    await.until("the successor has delivered all", () -> receipts.ended(SUCCESSOR) == 40);
    await.until("and settled all", () -> readyRows() == 0);
    successor.relay().pause();
    List<UUID> late = publishOrders(16);
    long frozenUntil = changes.position();
    frozen.send("release handler");
    frozen.thaw();

    await.until("its workers return", () -> receipts.ended(FROZEN) >= RelayProcess.WORKERS);
    await.stays(
        "no worker starts another delivery",
        Duration.ofMillis(500),
        () -> receipts.started(FROZEN) == RelayProcess.WORKERS);
    assertThat(owned(SUCCESSOR)).isEqualTo(8);
    assertThat(readyRows()).isEqualTo(16);
    assertThat(changes.changesBeforeJoining(FROZEN, frozenUntil)).isEmpty();

    frozen.tell("release statement");
    assertRejoinsHavingChangedNothing(frozenUntil);
    successor.relay().resume();
    await.until("late ones are settled", () -> readyRows() == 0);
    assertThat(early).allSatisfy(id -> assertThat(receipts.of(id)).hasSizeBetween(1, 2));
    assertThat(late).allSatisfy(id -> assertThat(receipts.of(id)).hasSize(1));
  }

  @Test
  void relayFrozenInsideASettleTransactionLosesItsLockAndThenItsPartitions() throws Exception {
    holdAt("INSERT INTO outbox_deferred");
    UUID refused = publish("order", "refuse");
    frozen.awaitLine(RelayProcess.AT_STATEMENT);
    await.until("no other transaction is open", () -> idleInTransaction() == 1);
    frozen.freeze();

    startSuccessor();
    await.until("the successor has delivered", () -> receipts.ended(SUCCESSOR) == 1);
    await.until("and settled", () -> readyRows() == 0 && database.rows().deferred().size() == 1);
    assertThat(idleInTransaction()).isZero();
    long frozenUntil = changes.position();
    frozen.send("release statement");
    frozen.thaw();

    assertRejoinsHavingChangedNothing(frozenUntil);
    assertThat(receipts.of(refused)).hasSize(2).first().asString().startsWith(FROZEN);
  }

  @Test
  void relayFrozenInTheCommitOfATransactionalHandlerLosesItsLockAndThenItsPartitions()
      throws Exception {
    frozen.tell("hold commit");
    publish("booking", "take");
    frozen.awaitLine(RelayProcess.AT_COMMIT);
    await.until("no other transaction is open", () -> idleInTransaction() == 1);
    frozen.freeze();

    startSuccessor();
    await.until("the successor has booked", () -> receipts.ended(SUCCESSOR) == 1);
    assertThat(readyRows()).isZero();
    assertThat(idleInTransaction()).isZero();
    long frozenUntil = changes.position();
    frozen.send("release commit");
    frozen.thaw();

    assertRejoinsHavingChangedNothing(frozenUntil);
    assertThat(receipts.ended(FROZEN)).as("its effect was rolled back").isZero(); // issue 17, M1
  }

  @Test
  void settleThatIsLateFindsItsRelayExpelledAndChangesNothing() throws Exception {
    holdAt("WITH me AS");
    UUID delivered = publish("order", "take");
    frozen.awaitLine(RelayProcess.AT_STATEMENT);
    frozen.freeze();

    startSuccessor().relay().pause();
    await.until("the successor owns all", () -> owned(SUCCESSOR) == 8);
    long frozenUntil = changes.position();
    frozen.send("release statement");
    frozen.thaw();

    assertRejoinsHavingChangedNothing(frozenUntil);
    successor.relay().resume();
    await.until("the message is settled", () -> readyRows() == 0);
    assertThat(receipts.of(delivered)).hasSize(2);
  }

  @Test
  void settleThatWaitsForALockGivesUpBeforeTheLeaseEndsAndTheRelayCanBeExpelled() throws Exception {
    frozen.tell("hold handler");
    UUID delivered = publish("order", "take");
    await.until("the message is delivered", () -> receipts.started(FROZEN) == 1);
    try (Connection blocker = DriverManager.getConnection(database.url());
        Statement lock = blocker.createStatement()) {
      blocker.setAutoCommit(false);
      lock.execute("SELECT 1 FROM outbox_message FOR UPDATE");
      frozen.tell("release handler");
      await.until("the settle waits inside the server", this::settleWaits);
      frozen.freeze();
      startSuccessor();
      await.until("the successor takes over", () -> owned(SUCCESSOR) == 8);
      blocker.rollback();
    }
    await.until("the successor has settled", () -> readyRows() == 0);
    long frozenUntil = changes.position();
    frozen.thaw();

    assertRejoinsHavingChangedNothing(frozenUntil);
    assertThat(receipts.of(delivered)).hasSize(2);
  }

  private void assertRejoinsHavingChangedNothing(long since) {
    frozen.awaitLine(RelayProcess.EXPELLED);
    await.until("it joins again", () -> changes.incarnations(FROZEN).size() == 2);
    await.until("and gets its share", () -> owned(FROZEN) == 4 && owned(SUCCESSOR) == 4);
    assertThat(changes.changesBeforeJoining(FROZEN, since)).isEmpty();
    List<Long> incarnations = changes.incarnations(FROZEN);
    assertThat(incarnations.get(1)).isGreaterThan(incarnations.get(0));
  }

  private void holdAt(String statement) {
    frozen.tell("hold statement " + statement);
    if (statement.startsWith("UPDATE")) {
      frozen.awaitLine(RelayProcess.AT_STATEMENT);
    }
  }

  private Posthorn startSuccessor() {
    successor =
        RelayProcess.builder(SUCCESSOR, pool, transactions)
            .handler(RelayProcess.ledger(SUCCESSOR, transactions, () -> {}))
            .handler(
                "shipping",
                "order",
                String.class,
                (payload, delivery) -> {
                  Receipts.write(pool, delivery, SUCCESSOR, "started");
                  Receipts.write(pool, delivery, SUCCESSOR, "ended");
                  if (payload.equals("refuse")) {
                    throw new IllegalStateException("refused, as the payload says");
                  }
                })
            .start();
    return successor;
  }

  private List<UUID> publishOrders(int count) throws Exception {
    List<Message> orders = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      orders.add(Message.of("order").key("customer-" + i % 8).payload("take").build());
    }
    return transactions.call(connection -> publisher.outbox().publishAll(orders));
  }

  private UUID publish(String type, String payload) throws Exception {
    Message message = Message.of(type).key("customer").payload(payload).build();
    return transactions.call(connection -> publisher.outbox().publish(message));
  }

  private long owned(String relay) {
    return database.number(
        "SELECT count(*) FROM outbox_partition p JOIN outbox_instance i ON i.id = p.owner_id AND i.incarnation = p.owner_incarnation WHERE i.id = '%s'"
            .formatted(relay));
  }

  private int readyRows() {
    return database.rows().ready().size();
  }

  private long idleInTransaction() {
    return sessions("state = 'idle in transaction'");
  }

  private boolean settleWaits() {
    return sessions("wait_event_type = 'Lock' AND query LIKE '%WITH me AS%'") == 1;
  }

  private long sessions(String where) {
    return database.number(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = '%s' AND %s"
            .formatted(FROZEN, where));
  }

  private String evidence() {
    return database.describe() + "\n" + receipts + "\n" + frozen;
  }
}
