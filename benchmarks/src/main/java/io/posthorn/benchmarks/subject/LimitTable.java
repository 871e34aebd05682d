/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

/** The table of the hand-written outbox, and the statements on it, as one database wants them. */
final class LimitTable {
  private static final String POSTGRESQL =
      """
      CREATE TABLE limit_message (
        seq bigserial PRIMARY KEY,
        %s
        message_key varchar(255) NOT NULL,
        payload     bytea        NOT NULL
      ) WITH (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 20000,
              autovacuum_vacuum_cost_delay = 0)
      """;
  private static final String POSTGRESQL_MORE =
      """
      id          uuid         NOT NULL DEFAULT gen_random_uuid(),
      type        varchar(255) NOT NULL,
      created_at  timestamptz  NOT NULL DEFAULT now(),
      """;
  private static final String MYSQL =
      """
      CREATE TABLE limit_message (
        seq bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
        %s
        message_key varchar(255) NOT NULL,
        payload     longblob     NOT NULL
      ) ENGINE = InnoDB
      """;
  private static final String MYSQL_MORE =
      """
      id          binary(16)   NOT NULL DEFAULT (unhex(replace(uuid(), '-', ''))),
      type        varchar(255) NOT NULL,
      created_at  datetime(6)  NOT NULL DEFAULT current_timestamp(6),
      """;

  private final LimitRow row;
  private final boolean hasArrays;

  LimitTable(LimitRow row, DatabaseProduct product) {
    this.row = row;
    this.hasArrays = product == DatabaseProduct.POSTGRESQL;
  }

  String create() {
    String more = hasArrays ? POSTGRESQL_MORE : MYSQL_MORE;
    return (hasArrays ? POSTGRESQL : MYSQL).formatted(row == LimitRow.FULL ? more : "");
  }

  String insert(int rows) {
    String columns = row == LimitRow.FULL ? "message_key, payload, type" : "message_key, payload";
    String values = row == LimitRow.FULL ? "(?, ?, ?)" : "(?, ?)";
    return "INSERT INTO limit_message (%s) VALUES %s"
        .formatted(columns, String.join(", ", Collections.nCopies(rows, values)));
  }

  /** Binds a row of an insert and returns the last parameter that it used. */
  int bind(PreparedStatement insert, int parameter, Order order) throws SQLException {
    insert.setString(parameter + 1, order.keyText());
    insert.setBytes(parameter + 2, order.json());
    if (row == LimitRow.LEAN) {
      return parameter + 2;
    }
    insert.setString(parameter + 3, "order-placed");
    return parameter + 3;
  }

  /** Rows behind a seq: seq, key, payload, then the rest. */
  String select(int batch) {
    String more = row == LimitRow.FULL ? ", id, type, created_at" : "";
    return "SELECT seq, message_key, payload%s FROM limit_message WHERE seq > ? ORDER BY seq LIMIT %d"
        .formatted(more, batch);
  }

  UUID id(ResultSet rows, long seq) throws SQLException {
    if (row == LimitRow.LEAN) {
      return new UUID(0, seq);
    }
    if (hasArrays) {
      return rows.getObject(4, UUID.class);
    }
    ByteBuffer bytes = ByteBuffer.wrap(rows.getBytes(4));
    return new UUID(bytes.getLong(), bytes.getLong());
  }

  /** Deletes rows by an array, or where there are none by a list, in one statement. */
  void delete(Connection connection, List<Long> seqs) throws SQLException {
    if (hasArrays) {
      try (PreparedStatement delete =
          connection.prepareStatement("DELETE FROM limit_message WHERE seq = ANY (?::bigint[])")) {
        delete.setArray(1, connection.createArrayOf("bigint", seqs.toArray()));
        delete.executeUpdate();
      }
      return;
    }
    String places = String.join(", ", Collections.nCopies(seqs.size(), "?"));
    try (PreparedStatement delete =
        connection.prepareStatement("DELETE FROM limit_message WHERE seq IN (" + places + ")")) {
      for (int i = 0; i < seqs.size(); i++) {
        delete.setLong(i + 1, seqs.get(i));
      }
      delete.executeUpdate();
    }
  }
}
