/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import io.posthorn.jdbc.Dialect;
import io.posthorn.jdbc.fixture.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Rows as an operator may find them in the middle of trouble. Times are seconds from now. */
final class OperatorScene {
  private static final String ENVELOPE =
      "partition_no, seq, id, type, message_key, content_type, payload, occurred_at, created_at";

  private final TestDatabase database;
  private final Dialect dialect;
  private final String prefix;

  OperatorScene(TestDatabase database, String prefix) {
    this.database = database;
    this.dialect = database.dialect();
    this.prefix = prefix;
  }

  /** The id of the message with this seq. */
  static UUID id(long seq) {
    return UUID.fromString("0198c0de-0000-7000-8000-%012d".formatted(seq));
  }

  void fill() throws SQLException {
    own(0, "relay-a", 30);
    own(1, "relay-b", -10);
    pause("PARTITION", "2", -50);
    pause("HANDLER", "ledger", -40);
    ready(0, 20, "order-placed", "order-17", -100);
    ready(1, 21, "order-placed", "order-18", -50);
    ready(2, 22, "order-cancelled", null, -10);
    ready(3, 23, "order-cancelled", null, -5);
    deferred(0, 17, "mailer", "order-placed", "order-17", "RETRYING", 3, 60L, "timeout");
    deferred(0, 18, "mailer", "order-placed", "order-17", "HELD", 0, null, null);
    deferred(0, 19, "*", "reminder", null, "DELAYED", 0, 3600L, null);
    deferred(1, 3, "mailer", "order-placed", "order-9", "BLOCKED", 0, null, null);
    deferred(1, 16, "ledger", "order-placed", null, "WAITING", 0, -5L, null);
    dead(1, 3, "order-9", 10);
    dead(0, 2, "order-1", 1);
    delivered(17, "search");
    retried(-30);
  }

  private void own(int partition, String owner, long leaseSeconds) throws SQLException {
    run(
        "INSERT INTO %sheartbeat (id, incarnation, good_until, lease_ms, retired) VALUES (?, 1, %s, 30000, FALSE)"
            .formatted(prefix, in(leaseSeconds)),
        owner);
    run(
        "UPDATE %spartition SET owner_id = ?, owner_incarnation = 1, epoch = 1 WHERE partition_no = %d"
            .formatted(prefix, partition),
        owner);
  }

  private void pause(String kind, String name, long seconds) throws SQLException {
    run(
        "INSERT INTO %spause (kind, name, paused_at) VALUES (?, ?, %s)"
            .formatted(prefix, in(seconds)),
        kind,
        name);
  }

  private void retried(long seconds) throws SQLException {
    run(
        "INSERT INTO %saction (id, kind, who, why, target, state, entries, started_at, changed_at) SELECT id, ?, ?, 'mail server is back', 'handler = mailer', 'DONE', 17, %s, %s FROM %sdead WHERE seq = 2"
            .formatted(prefix, in(seconds), in(seconds), prefix),
        "RETRY",
        "anna");
  }

  private void ready(int partition, long seq, String type, @Nullable String key, long seconds)
      throws SQLException {
    insert("message", "", partition, seq, type, key, text("{\"seq\":" + seq + "}"), seconds);
  }

  /** One with a payload. */
  void ready(long seq, byte @Nullable [] payload) throws SQLException {
    insert("message", "", 0, seq, "order-placed", null, payload, -1);
  }

  private void deferred(
      int partition,
      long seq,
      String handler,
      String type,
      @Nullable String key,
      String reason,
      int attempts,
      @Nullable Long due,
      @Nullable String error)
      throws SQLException {
    insert(
        "deferred",
        "handler='%s', in_lane=%s, reason='%s', attempts=%d, due_at=%s, last_error=%s, deferred_at=%s"
            .formatted(
                handler,
                key == null ? "FALSE" : "TRUE",
                reason,
                attempts,
                due == null ? "NULL" : in(due),
                error == null ? "NULL" : "'" + error + "'",
                in(-seq * 10)),
        partition,
        seq,
        type,
        key,
        reason.equals("BLOCKED") ? null : text("{}"),
        -700 + seq);
  }

  private void dead(int partition, long seq, String key, int attempts) throws SQLException {
    insert(
        "dead",
        "handler='mailer', attempts=%d, error='no route', died_at=%s"
            .formatted(attempts, in(-200 - seq)),
        partition,
        seq,
        "order-placed",
        key,
        text("{\"city\":\"Köln\"}"),
        -800);
  }

  private void delivered(long seq, String handler) throws SQLException {
    insert(
        "history",
        "handler='%s', delivered_at=%s".formatted(handler, in(-30)),
        0,
        seq,
        "order-placed",
        "order-17",
        text("{}"),
        -700);
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * @param more further columns, each with its value
   */
  private void insert(
      String table,
      String more,
      int partition,
      long seq,
      String type,
      @Nullable String key,
      byte @Nullable [] payload,
      long createdSeconds)
      throws SQLException {
    StringBuilder columns = new StringBuilder(ENVELOPE);
    StringBuilder values =
        new StringBuilder("?, ?, ?, ?, ?, 'application/json', ?, ")
            .append(in(createdSeconds))
            .append(", ")
            .append(in(createdSeconds));
    for (String pair : more.isEmpty() ? new String[0] : more.split(", (?=\\w+=)", -1)) {
      columns.append(", ").append(pair, 0, pair.indexOf('='));
      values.append(", ").append(pair.substring(pair.indexOf('=') + 1));
    }
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO %s%s (%s) VALUES (%s)".formatted(prefix, table, columns, values))) {
      insert.setInt(1, partition);
      insert.setLong(2, seq);
      dialect.bindId(insert, 3, id(seq));
      insert.setString(4, type);
      insert.setString(5, key);
      insert.setBytes(6, payload);
      insert.executeUpdate();
    }
  }

  private void run(String sql, String... parameters) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setString(i + 1, parameters[i]);
      }
      statement.executeUpdate();
    }
  }

  private String in(long seconds) {
    return dialect.plusMillis(dialect.now(), "(" + seconds * 1000 + ")");
  }
}
