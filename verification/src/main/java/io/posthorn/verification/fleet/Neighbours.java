/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.verification.check.Fault;
import io.posthorn.verification.database.TestedDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Other sessions on the same server. What they leave open stays open until the very end. */
public final class Neighbours implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long POLL_MILLIS = 50;
  private static final int CLIENTS_AT_MOST = 1_000;

  private final ChaosDatabase database;
  private final int partitions;
  private final FaultInjector faults;
  private final AttendedSleep sleep;
  private final List<Connection> open = new ArrayList<>();
  private int prepared;

  Neighbours(ChaosDatabase database, int partitions, FaultInjector faults, AttendedSleep sleep) {
    this.database = database;
    this.partitions = partitions;
    this.faults = faults;
    this.sleep = sleep;
  }

  /** A report that nobody ends: no vacuum removes what is deleted from now on. */
  public void keepSnapshot() throws Exception {
    faults.leaveBehind(
        Fault.Kind.OLD_SNAPSHOT,
        () -> keep("BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT count(*) FROM outbox_message"));
  }

  /** A transaction that has written something, and is never ended. */
  public void keepTransaction() throws Exception {
    faults.leaveBehind(
        Fault.Kind.OPEN_TRANSACTION,
        () -> keep("BEGIN", "CREATE TEMPORARY TABLE neighbour AS SELECT txid_current() AS id"));
  }

  /** A transaction of which no session knows any more, not even after a restart. */
  public void keepPrepared() throws Exception {
    faults.leaveBehind(Fault.Kind.PREPARED_TRANSACTION, this::prepare);
  }

  private void prepare() throws SQLException {
    prepared++;
    try (Connection connection = database.connect()) {
      execute(
          connection,
          "BEGIN",
          "CREATE TABLE neighbour_%d AS SELECT txid_current() AS id".formatted(prepared),
          "PREPARE TRANSACTION 'neighbour-%d'".formatted(prepared));
    }
  }

  private void keep(String... statements) throws SQLException {
    Connection connection = database.connect();
    open.add(connection);
    execute(connection, statements);
  }

  private static void execute(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** Leaves rows that nobody sees, and that reads have to pass while a snapshot is open. */
  public void leaveDeadRows(int count) throws SQLException {
    try (Connection connection = database.connect()) {
      execute(
          connection,
          "SET application_name = '" + TestedDatabase.OPERATOR + "'",
          "BEGIN",
          """
          INSERT INTO outbox_message (partition_no, id, type, content_type, occurred_at, created_at)
          SELECT i %% %d, gen_random_uuid(), 'dead', 'none', now(), now()
            FROM generate_series(1, %d) AS i
          """
              .formatted(partitions, count),
          "DELETE FROM outbox_message WHERE type = 'dead'",
          "COMMIT");
    }
  }

  /** Nobody else writes to a table for a while. */
  public void lock(String table, Duration time) throws Exception {
    faults.inflictOnAll(Fault.Kind.LOCK, time, () -> hold(table, time));
  }

  private void hold(String table, Duration time) throws SQLException, InterruptedException {
    try (Connection connection = database.connect()) {
      execute(
          connection,
          "SET lock_timeout = 0", // its role may have one, which is meant for the instances
          "SET statement_timeout = 0",
          "SET idle_in_transaction_session_timeout = 0",
          "BEGIN",
          "LOCK TABLE " + table + " IN EXCLUSIVE MODE");
      Thread.sleep(time.toMillis());
    }
  }

  /** Takes all connections that the server has, while an instance starts that needs some. */
  public void takeConnections(FaultyInstance starting, Duration time) throws Exception {
    if (faults.leavesOut(Fault.Kind.CONNECTIONS, time) || faults.leavesOut(Fault.Kind.KILL, time)) {
      return;
    }
    starting.kill();
    faults.inflictOnAll(
        Fault.Kind.CONNECTIONS, time, () -> startWithoutConnections(starting, time));
  }

  private void startWithoutConnections(FaultyInstance starting, Duration time)
      throws IOException, SQLException, InterruptedException {
    List<Connection> taken = new ArrayList<>();
    try {
      takeAll(taken);
      starting.start();
      sleep.sleep(time);
    } finally {
      closeAll(taken);
    }
    awaitConnection();
  }

  private void takeAll(List<Connection> taken) throws SQLException {
    while (taken.size() < CLIENTS_AT_MOST) {
      try {
        taken.add(database.connect());
      } catch (SQLException e) {
        if (!ChaosDatabase.TOO_MANY_CONNECTIONS.equals(e.getSQLState())) {
          throw e;
        }
        return;
      }
    }
    throw new IllegalStateException(
        "the server took " + CLIENTS_AT_MOST + " connections, and more");
  }

  private void awaitConnection() throws SQLException, InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        database.connect().close();
        return;
      } catch (SQLException e) {
        if (System.nanoTime() > end) {
          throw e;
        }
        Thread.sleep(POLL_MILLIS);
      }
    }
  }

  private static void closeAll(List<Connection> connections) {
    for (Connection connection : connections) {
      try {
        connection.close();
      } catch (SQLException e) {
        System.err.println(e); // it was broken meanwhile, as planned
      }
    }
  }

  @Override
  public void close() {
    closeAll(open);
  }
}
