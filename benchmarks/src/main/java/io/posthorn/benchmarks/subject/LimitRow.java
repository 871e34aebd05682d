/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.UUID;

/** What the hand-written outbox stores of a message. */
enum LimitRow {
  /** What a consumer needs: id, type and time too. */
  FULL(
      """
      id          uuid         NOT NULL DEFAULT gen_random_uuid(),
      type        varchar(255) NOT NULL,
      message_key varchar(255) NOT NULL,
      payload     bytea        NOT NULL,
      created_at  timestamptz  NOT NULL DEFAULT now()
      """,
      "message_key, payload, type",
      "message_key, payload, id, type, created_at"),

  /** Key and payload only: less cannot be stored. */
  LEAN(
      """
      message_key varchar(255) NOT NULL,
      payload     bytea        NOT NULL
      """,
      "message_key, payload",
      "message_key, payload");

  private final String definitions;
  private final String written;
  private final String read;

  LimitRow(String definitions, String written, String read) {
    this.definitions = definitions;
    this.written = written;
    this.read = read;
  }

  String createTable() {
    return """
        CREATE TABLE limit_message (
          seq bigserial PRIMARY KEY,
          %s
        ) WITH (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 20000,
                autovacuum_vacuum_cost_delay = 0)
        """
        .formatted(definitions);
  }

  String insert(int rows) {
    String values = this == FULL ? "(?, ?, ?)" : "(?, ?)";
    return "INSERT INTO limit_message (%s) VALUES %s"
        .formatted(written, String.join(", ", Collections.nCopies(rows, values)));
  }

  /** Binds a row of an insert and returns the last parameter that it used. */
  int bind(PreparedStatement insert, int parameter, Order order) throws SQLException {
    insert.setString(parameter + 1, order.keyText());
    insert.setBytes(parameter + 2, order.json());
    if (this == LEAN) {
      return parameter + 2;
    }
    insert.setString(parameter + 3, "order-placed");
    return parameter + 3;
  }

  /** Rows behind a seq: seq, key, payload, then the rest. */
  String select(int batch) {
    return "SELECT seq, %s FROM limit_message WHERE seq > ? ORDER BY seq LIMIT %d"
        .formatted(read, batch);
  }

  UUID id(ResultSet rows, long seq) throws SQLException {
    return this == FULL ? rows.getObject(4, UUID.class) : new UUID(0, seq);
  }
}
