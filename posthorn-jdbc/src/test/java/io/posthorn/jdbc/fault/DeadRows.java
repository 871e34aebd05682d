/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;

/**
 * A database, on a server of its own, in which an old snapshot is open: what relays deliver from
 * now on leaves rows that nobody sees, and that no vacuum can remove.
 */
final class DeadRows implements AutoCloseable {
  /** Ten million with {@code -Plong}. */
  static final int COUNT = Integer.getInteger("posthorn.test.dead-rows", 120_000);

  static final String TYPE = CountingRelay.TYPE;
  private static final int PARTITIONS = 64;

  private final PostgresServer server = PostgresServer.newest();
  private final LiveDatabase database;
  private final Connection snapshot;
  private final JdbcTransactions transactions;
  private final Posthorn publisher;

  DeadRows() throws SQLException {
    // The table is larger than what the server keeps in memory, as it would be in production.
    // Statistics are taken all the time, also in moments in which the tables are empty.
    server
        .withSetting("shared_buffers", "16MB")
        .withSetting("max_wal_size", "8GB")
        .withSetting("autovacuum_naptime", "1s")
        .start();
    database = LiveDatabase.on(server, PARTITIONS);
    snapshot = DriverManager.getConnection(database.url());
    try (Statement statement = snapshot.createStatement()) {
      statement.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
      statement.execute("SELECT count(*) FROM outbox_message");
    }
    HikariDataSource pool = database.pool("publisher", 4);
    transactions = new JdbcTransactions(pool);
    publisher = Posthorn.publishOnly(LiveDatabase.store(pool).build(), transactions).build();
  }

  LiveDatabase database() {
    return database;
  }

  /** Inserts messages that only have to be delivered: five for each key, or more. */
  void insert(int count) {
    database.execute(
        """
        INSERT INTO outbox_message (partition_no, id, type, message_key, content_type, payload, occurred_at, created_at)
        SELECT k %% %d, gen_random_uuid(), '%s', 'bulk-' || k, 'application/json', decode(repeat('7b', 100), 'hex'), now(), now()
          FROM (SELECT i %% %d AS k FROM generate_series(1, %d) AS i) AS keys
        """
            .formatted(PARTITIONS, TYPE, Math.max(10_000, count / 5), count));
  }

  UUID publish(String key) throws Exception {
    Message message = Message.of(TYPE).key(key).payload(new byte[] {'{', '}'}).build();
    return transactions.call(connection -> publisher.outbox().publish(message));
  }

  /** Index entries that reads of a table have met so far, as sessions that have ended count. */
  long entriesRead(String table) {
    return database.number(
        "SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = '" + table + "'");
  }

  long sessions(String application) {
    return database.number(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = '" + application + "'");
  }

  /** Ends an application's sessions, whatever they are doing. */
  void terminate(String application) {
    database.list(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '"
            + application
            + "'");
  }

  /** Limits the statements of new sessions; 0: not at all. */
  void limitStatements(String timeout) {
    String name = database.list("SELECT current_database()").get(0);
    database.execute(
        "ALTER ROLE postgres IN DATABASE %s SET statement_timeout = '%s'".formatted(name, timeout));
  }

  @Override
  public void close() throws SQLException {
    publisher.close();
    snapshot.close();
    database.close();
    server.close();
  }
}
