/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.ConfigurationException;
import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.LoggerSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Creates and upgrades the tables by the shipped scripts, and checks that those found are ones that
 * this version can use.
 *
 * <p>Each version has a script for the step from the one before: {@code V1__create_outbox.sql},
 * {@code V2__upgrade_outbox.sql}, and so on; the last one on the class path is the version that is
 * needed. From the second one on, {@code create_outbox.sql} creates that version at once.
 */
public final class Schema {
  static final String KEY_HASH = "crc32";
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.jdbc");
  private static final String FIRST = "V1__create_outbox.sql";
  private static final String WHOLE = "create_outbox.sql";

  private final Dialect dialect;
  private final Tables tables;
  private final int needed;

  /**
   * What the tables say of themselves.
   *
   * @param compatibleFrom programs made for this version, or a newer one, can use them
   */
  private record Found(int version, String keyHash, int compatibleFrom) {}

  public Schema(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    this.tables = tables;
    int newest = 1;
    while (step(newest + 1).exists()) {
      newest++;
    }
    this.needed = newest;
  }

  /** The version that this Posthorn creates, and to which it upgrades. */
  public int needed() {
    return needed;
  }

  private Script script(String name) {
    return new Script(dialect, "io/posthorn/jdbc/" + dialect.name() + "/" + name);
  }

  /** From the version before to this one. */
  private Script step(int version) {
    return script(version == 1 ? FIRST : "V" + version + "__upgrade_outbox.sql");
  }

  private Script whole() {
    return needed == 1 ? step(1) : script(WHOLE);
  }

  private List<Script> stepsFrom(int version) {
    return IntStream.rangeClosed(version + 1, needed).mapToObj(this::step).toList();
  }

  /** The script that creates the tables, with the names that were asked for. */
  public String print(int partitions) {
    return tables.inScript(whole().text(), partitions);
  }

  /** The scripts that bring tables of this version up to the one that is needed. */
  public String printUpgrade(int from) {
    return stepsFrom(from).stream()
        .map(step -> tables.inScript(step.text(), 1))
        .collect(Collectors.joining("\n"));
  }

  /**
   * Creates the tables, or upgrades them version by version, unless they are there. Each version is
   * one transaction, where the database can.
   *
   * @return the versions that they have come to; none if there was nothing to do
   */
  public List<Integer> apply(Connection connection, int partitions) throws SQLException {
    List<Integer> reached = new ArrayList<>();
    int version = versionFound(connection);
    if (version == 0) {
      whole().run(connection, text -> tables.inScript(text, partitions), this::isThere);
      version = versionFound(connection); // another process may have created older ones
      reached.add(version);
    }
    while (version < needed) {
      int next = version + 1;
      step(next)
          .run(
              connection,
              text -> tables.inScript(text, partitions),
              open -> versionFound(open) >= next);
      version = next;
      reached.add(version);
      LOGGER.log(
          Level.INFO, "the tables of \"{0}\" are of version {1} now", tables.schema(), version);
    }
    return reached;
  }

  private boolean isThere(Connection connection) throws SQLException {
    return versionFound(connection) > 0;
  }

  /** The version of the tables that are there; 0 if there are none. */
  public int versionFound(Connection connection) throws SQLException {
    return found(connection).map(Found::version).orElse(0);
  }

  /**
   * Checks the tables.
   *
   * @return the number of partitions
   * @throws ConfigurationException naming every problem
   */
  public int check(Connection connection) throws SQLException {
    List<String> problems = problems(connection);
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
    return partitions(connection);
  }

  /** Why the tables that are there cannot be used; empty if they can. */
  public List<String> problems(Connection connection) throws SQLException {
    Optional<Found> found = found(connection);
    if (found.isEmpty()) {
      return List.of(
          "the outbox tables are missing: there is no \"%s\". Run the script \"%s\" from the posthorn-jdbc jar, or use createTables(true)"
              .formatted(tables.schema(), whole().path()));
    }
    Optional<String> misfit = misfit(found.get());
    if (misfit.isPresent()) {
      return List.of(misfit.get());
    }
    List<String> problems = new ArrayList<>();
    for (Map.Entry<String, String> table : columns().entrySet()) {
      checkColumns(connection, table.getKey(), table.getValue(), problems);
    }
    if (problems.isEmpty()) {
      checkPartitions(connection, problems);
    }
    return problems;
  }

  private Optional<String> misfit(Found found) {
    if (found.version < needed) {
      return Optional.of(
          "the outbox tables are of version %d but this Posthorn needs version %d. Run %s from the posthorn-jdbc jar, or use createTables(true)"
              .formatted(
                  found.version,
                  needed,
                  stepsFrom(found.version).stream()
                      .map(step -> "\"" + step.path() + "\"")
                      .collect(Collectors.joining(", then "))));
    }
    if (found.compatibleFrom > needed) {
      return Optional.of(
          "the outbox tables are of version %d and can be used by programs for version %d or newer, but this Posthorn is for version %d; use a newer one"
              .formatted(found.version, found.compatibleFrom, needed));
    }
    if (!found.keyHash.equals(KEY_HASH)) {
      return Optional.of(
          "the outbox tables use the key hash \"%s\" but this Posthorn knows \"%s\" only; use the version that created them"
              .formatted(found.keyHash, KEY_HASH));
    }
    return Optional.empty();
  }

  /**
   * Whether there is a table is asked of the driver's catalogue: a statement that fails would end
   * the transaction on some databases.
   */
  private Optional<Found> found(Connection connection) throws SQLException {
    if (!new Catalogue(connection).hasTable(tables.schema())) {
      return Optional.empty();
    }
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT version, key_hash, compatible_from FROM "
                    + tables.schema()
                    + " ORDER BY version DESC")) {
      return row.next()
          ? Optional.of(new Found(row.getInt(1), row.getString(2), row.getInt(3)))
          : Optional.empty();
    }
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
    columns.put(tables.heartbeat(), "id, incarnation, good_until, lease_ms, retired, report");
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

  private void checkPartitions(Connection connection, List<String> problems) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*), min(partition_no), max(partition_no) FROM "
                    + tables.partition())) {
      row.next();
      int count = row.getInt(1);
      if (count == 0 || row.getInt(2) != 0 || row.getInt(3) != count - 1) {
        problems.add(
            "table \"%s\" has %d rows from number %d to %d but must hold the numbers 0 to n-1, without a gap"
                .formatted(tables.partition(), count, row.getInt(2), row.getInt(3)));
      }
    }
  }

  private int partitions(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM " + tables.partition())) {
      row.next();
      return row.getInt(1);
    }
  }
}
