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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * MySQL and MariaDB have no limit for a transaction only. That of a transactional handler has one
 * all the same, from its settling to its end: a relay that is frozen there loses its locks.
 */
@Timeout(120)
abstract class FrozenCommitContract {
  private static final String FROZEN = "frozen";
  private static final String SUCCESSOR = "successor";
  private static final int POOL = 6;

  private final Await await = new Await(this::evidence);
  private String url;
  private HikariDataSource pool;
  private JdbcTransactions transactions;
  private Posthorn publisher;
  private Posthorn successor;
  private SecondJvm frozen;

  /** Where an empty database is. */
  abstract String freshDatabase();

  @BeforeEach
  void open() throws Exception {
    url = freshDatabase();
    pool = LiveDatabase.pool(url, SUCCESSOR, POOL);
    transactions = new JdbcTransactions(pool);
    publisher =
        Posthorn.publishOnly(
                LiveDatabase.store(pool).createTables(true).partitions(8).build(), transactions)
            .start();
    execute(
        "CREATE TABLE receipts (n bigint AUTO_INCREMENT PRIMARY KEY, message_id varchar(40), relay varchar(20), epoch bigint, phase varchar(20))");
  }

  @AfterEach
  void close() {
    if (successor != null) {
      successor.close();
    }
    if (frozen != null) {
      frozen.close();
    }
    publisher.close();
    pool.close();
  }

  @Test
  void aRelayFrozenBetweenSettlingAndCommitLosesItsLocksAndThenItsPartitions() throws Exception {
    frozen = SecondJvm.start(RelayProcess.class, url, FROZEN);
    await.until("the relay owns all partitions", () -> owned(FROZEN) == 8);
    frozen.tell("hold commit");
    publish();
    frozen.awaitLine(RelayProcess.AT_COMMIT);
    frozen.freeze();

    startSuccessor(() -> {});
    await.until("the successor has booked", () -> booked(SUCCESSOR) == 1);
    await.until("and settled", () -> number("SELECT count(*) FROM outbox_message") == 0);
    frozen.send("release commit");
    frozen.thaw();

    frozen.awaitLine(RelayProcess.EXPELLED);
    await.until("it joins again", () -> owned(FROZEN) > 0);
    assertThat(booked(FROZEN)).as("its effect was rolled back").isZero();
  }

  @Test
  void sessionsGoBackToThePoolWithTheLimitsThatTheyHadBefore() throws Exception {
    Set<String> before = limitsOfSessions();
    List<String> within = new ArrayList<>();
    startSuccessor(() -> within.add(limits(transactions.current().unwrap(Connection.class))));
    publish();
    await.until("booked", () -> booked(SUCCESSOR) == 1);
    await.until("settled", () -> number("SELECT count(*) FROM outbox_message") == 0);
    successor.close();

    assertThat(within).isNotEmpty().doesNotContainAnyElementsOf(before);
    assertThat(limitsOfSessions()).isEqualTo(before);
  }

  @Test
  void alsoAfterARollBack() throws Exception {
    Set<String> before = limitsOfSessions();
    List<String> within = new ArrayList<>();
    startSuccessor(
        () -> {
          within.add(limits(transactions.current().unwrap(Connection.class)));
          throw new IllegalStateException("this transaction cannot commit");
        });
    publish();
    await.until("it is to be retried", () -> number("SELECT count(*) FROM outbox_deferred") == 1);
    successor.close();

    assertThat(within).isNotEmpty().doesNotContainAnyElementsOf(before);
    assertThat(booked(SUCCESSOR)).isZero();
    assertThat(limitsOfSessions()).isEqualTo(before);
  }

  /** Of all sessions of the pool. */
  private Set<String> limitsOfSessions() throws SQLException {
    Set<String> limits = new HashSet<>();
    List<Connection> taken = new ArrayList<>();
    try {
      for (int i = 0; i < POOL; i++) {
        taken.add(pool.getConnection());
        limits.add(limits(taken.get(i)));
      }
    } finally {
      for (Connection connection : taken) {
        connection.close();
      }
    }
    return limits;
  }

  private static String limits(Connection connection) {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT CONCAT(@@SESSION.wait_timeout, ' ', @@SESSION.innodb_lock_wait_timeout)")) {
      row.next();
      return row.getString(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void startSuccessor(Runnable beforeCommit) {
    successor =
        RelayProcess.builder(SUCCESSOR, pool, transactions)
            .handler(RelayProcess.ledger(SUCCESSOR, transactions, beforeCommit))
            .handler("shipping", "order", String.class, (payload, delivery) -> {})
            .start();
  }

  private void publish() throws Exception {
    Message message = Message.of("booking").key("customer").payload("take").build();
    transactions.call(connection -> publisher.outbox().publish(message));
  }

  private long owned(String relay) {
    return number(
        "SELECT count(*) FROM outbox_partition p JOIN outbox_instance i ON i.id = p.owner_id AND i.incarnation = p.owner_incarnation WHERE i.id = '"
            + relay
            + "'");
  }

  private long booked(String relay) {
    return number("SELECT count(*) FROM receipts WHERE relay = '" + relay + "'");
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private long number(String sql) {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  private String evidence() {
    return "ready: %d, deferred: %d, booked by the successor: %d, %s"
        .formatted(
            number("SELECT count(*) FROM outbox_message"),
            number("SELECT count(*) FROM outbox_deferred"),
            booked(SUCCESSOR),
            frozen);
  }
}
