/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.ConfigurationException;
import io.posthorn.jdbc.Dialect;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Creates the tables from the shipped script, and checks that those found are the ones this version
 * needs.
 */
public final class Schema {
  static final int VERSION = 1;
  static final String KEY_HASH = "crc32";

  private final Dialect dialect;
  private final Script script;
  private final Tables tables;

  public Schema(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    this.script =
        new Script(dialect, "io/posthorn/jdbc/" + dialect.name() + "/V1__create_outbox.sql");
    this.tables = tables;
  }

  /** Creates the tables unless they are there. In one transaction, where the database can. */
  public void create(Connection connection, int partitions) throws SQLException {
    script.run(
        connection,
        text -> tables.inScript(text, partitions),
        found -> versionFound(found).isPresent());
  }

  /**
   * Checks the tables.
   *
   * @return the number of partitions
   * @throws ConfigurationException naming every problem
   */
  public int check(Connection connection) throws SQLException {
    Optional<Integer> version = versionFound(connection);
    if (version.isEmpty()) {
      throw new ConfigurationException(
          List.of(
              "the outbox tables are missing: there is no \"%s\". Run the script \"%s\" from the posthorn-jdbc jar, or use createTables(true)"
                  .formatted(tables.schema(), script.path())));
    }
    List<String> problems = new ArrayList<>();
    if (version.get() != VERSION) {
      problems.add(
          version.get() < VERSION
              ? "the outbox tables are of version %d but this Posthorn needs version %d; run the scripts in between, see UPGRADING"
                  .formatted(version.get(), VERSION)
              : "the outbox tables are of version %d but this Posthorn knows versions up to %d; use a newer one"
                  .formatted(version.get(), VERSION));
    } else {
      for (Map.Entry<String, String> table : columns().entrySet()) {
        checkColumns(connection, table.getKey(), table.getValue(), problems);
      }
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
    checkHash(connection);
    return partitions(connection);
  }

  private Optional<Integer> versionFound(Connection connection) throws SQLException {
    if (!exists(connection)) {
      return Optional.empty();
    }
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT max(version) FROM " + tables.schema())) {
      row.next();
      int version = row.getInt(1);
      return row.wasNull() ? Optional.empty() : Optional.of(version);
    }
  }

  /**
   * Asked of the driver's catalogue: a statement that fails would end the transaction on some
   * databases.
   */
  private boolean exists(Connection connection) throws SQLException {
    return new Catalogue(connection).hasTable(tables.schema());
  }

  private Map<String, String> columns() {
    String message = "partition_no, seq, " + Rows.ENVELOPE + ", created_at";
    Map<String, String> columns = new LinkedHashMap<>();
    columns.put(tables.message(), message);
    columns.put(
        tables.deferred(),
        message + ", handler, in_lane, reason, attempts, due_at, last_error, deferred_at");
    columns.put(tables.deferredFloor(), "partition_no, handler, seq_floor, due_floor");
    columns.put(tables.dead(), message + ", handler, attempts, error, died_at");
    columns.put(tables.history(), message + ", handler, delivered_at");
    columns.put(tables.idempotency(), "idempotency_key, message_id, created_at");
    columns.put(tables.pause(), "kind, name, paused_at");
    columns.put(tables.instance(), "id, incarnation, joined_at, handlers");
    columns.put(tables.heartbeat(), "id, incarnation, good_until, lease_ms, retired");
    columns.put(tables.gone(), "handler, instance_id, incarnation, types, gone_at");
    if (dialect.enterGate(tables.gate()).isPresent()
        || dialect.enterGateBefore(tables.gate()).isPresent()) {
      columns.put(tables.gate(), "gate_no");
    }
    columns.put(
        tables.partition(), "partition_no, owner_id, owner_incarnation, epoch, crashes, floor_seq");
    return columns;
  }

  static void checkColumns(
      Connection connection, String table, String columns, List<String> problems)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet none =
            statement.executeQuery("SELECT " + columns + " FROM " + table + " WHERE 1 = 0")) {
      none.next();
    } catch (SQLException e) {
      problems.add(
          "table \"%s\" does not fit: %s. Compare it with the shipped script"
              .formatted(table, StoreFailures.firstLine(e)));
      if (!connection.getAutoCommit()) {
        connection.rollback(); // or the checks that follow would fail for nothing
      }
    }
  }

  private void checkHash(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT key_hash FROM " + tables.schema() + " WHERE version = " + VERSION)) {
      row.next();
      if (!KEY_HASH.equals(row.getString(1))) {
        throw new ConfigurationException(
            List.of(
                "the outbox tables use the key hash \"%s\" but this Posthorn knows \"%s\" only; use the version that created them"
                    .formatted(row.getString(1), KEY_HASH)));
      }
    }
  }

  private int partitions(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*), min(partition_no), max(partition_no) FROM "
                    + tables.partition())) {
      row.next();
      int count = row.getInt(1);
      if (count == 0 || row.getInt(2) != 0 || row.getInt(3) != count - 1) {
        throw new ConfigurationException(
            List.of(
                "table \"%s\" has %d rows from number %d to %d but must hold the numbers 0 to n-1, without a gap"
                    .formatted(tables.partition(), count, row.getInt(2), row.getInt(3))));
      }
      return count;
    }
  }
}
