/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import io.posthorn.Delivery;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/** What handlers write down in a table, whatever process they run in. */
final class Receipts {
  private final LiveDatabase database;

  private Receipts(LiveDatabase database) {
    this.database = database;
  }

  static Receipts createIn(LiveDatabase database) {
    database.execute(
        "CREATE TABLE receipts (n bigserial PRIMARY KEY, message_id text, relay text, epoch bigint, phase text)");
    return new Receipts(database);
  }

  /** Writes a receipt on a connection of its own. */
  static void write(DataSource dataSource, Delivery delivery, String relay, String phase)
      throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      write(connection, delivery, relay, phase);
    }
  }

  /** Writes a receipt in a transaction. */
  static void write(Connection connection, Delivery delivery, String relay, String phase)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO receipts (message_id, relay, epoch, phase) VALUES (?, ?, ?, ?)")) {
      insert.setString(1, delivery.messageId().toString());
      insert.setString(2, relay);
      insert.setLong(3, delivery.epoch());
      insert.setString(4, phase);
      insert.executeUpdate();
    }
  }

  long started(String relay) {
    return count("relay = '" + relay + "' AND phase = 'started'");
  }

  long ended(String relay) {
    return count("relay = '" + relay + "' AND phase = 'ended'");
  }

  private long count(String where) {
    return database.number("SELECT count(*) FROM receipts WHERE " + where);
  }

  /** Who started to deliver a message, and in which epoch, in order. */
  List<String> of(UUID messageId) {
    return database.list(
        "SELECT relay || ' in epoch ' || epoch FROM receipts WHERE phase = 'started' AND message_id = '%s' ORDER BY n"
            .formatted(messageId));
  }

  @Override
  public String toString() {
    return "receipts: "
        + database.list("SELECT concat_ws(' ', n, message_id, relay, epoch, phase) FROM receipts");
  }
}
