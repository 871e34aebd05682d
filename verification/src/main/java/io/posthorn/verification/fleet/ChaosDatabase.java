/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.servers.DatabaseServer;
import io.posthorn.verification.database.TestedDatabase;
import io.posthorn.verification.database.UrlDataSource;
import io.posthorn.verification.history.History;
import io.posthorn.verification.instance.ChaosTables;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** The database under test, seen past all proxies. */
final class ChaosDatabase {
  static final String TOO_MANY_CONNECTIONS = "53300";

  private static final String DEADLOCK = "40P01";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(20);
  private static final String PENDING =
      "SELECT (SELECT count(*) FROM outbox_message) + (SELECT count(*) FROM outbox_deferred)";

  private final TestedDatabase product;
  private DatabaseServer server;

  private ChaosDatabase(TestedDatabase product, DatabaseServer server) {
    this.product = product;
    this.server = server;
  }

  static ChaosDatabase create(TestedDatabase product, DatabaseServer server, int partitions)
      throws SQLException {
    ChaosDatabase database = new ChaosDatabase(product, server);
    ChaosTables.create(product, new UrlDataSource(database.url()), partitions);
    database.createSwitch();
    database.createGuard();
    return database;
  }

  /** Another server has taken the place of the one before. */
  void moveTo(DatabaseServer other) {
    server = other;
  }

  /** Commits are confirmed only when the standby has them, from now on. */
  void waitForStandby() throws SQLException, InterruptedException {
    execute("ALTER SYSTEM SET synchronous_standby_names = '*'");
    execute("SELECT pg_reload_conf()");
    await("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'");
  }

  /** Waits until the standby has caught up. */
  void awaitStandby() throws SQLException, InterruptedException {
    await("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'");
  }

  private void await(String count) throws SQLException, InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (number(count) == 0) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException("not within " + PATIENCE + ": " + count);
      }
      Thread.sleep(POLL.toMillis());
    }
  }

  /** Notes what relays do that they should not. */
  private void createGuard() throws SQLException {
    execute(
        "CREATE TABLE chaos_intrusion (who varchar(100), what varchar(100), partition_no smallint, seq bigint, owner varchar(100))");
    for (String sql : product.guards()) {
      execute(sql);
    }
  }

  private static List<String> intrusions(Connection connection) throws SQLException {
    List<String> intrusions = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT who, what, partition_no, seq, owner FROM chaos_intrusion")) {
      while (rows.next()) {
        intrusions.add(
            "%s: %s, partition %d, seq %d, of %s"
                .formatted(
                    rows.getString(1),
                    rows.getString(2),
                    rows.getInt(3),
                    rows.getLong(4),
                    rows.getString(5)));
      }
    }
    return intrusions;
  }

  /** How deletes of ready rows fail. */
  enum Refusal {
    NONE,
    DISK,
    TIMEOUT
  }

  /** A trigger that lets deletes of ready rows fail when a switch is on. */
  private void createSwitch() throws SQLException {
    execute("CREATE TABLE chaos_switch (refusal varchar(20) NOT NULL)");
    for (String sql : product.refusals()) {
      execute(sql);
    }
  }

  void refuseSettles(Refusal refusal) throws SQLException {
    // By rows that come and go: one that is there may be locked by whoever was refused.
    execute("DELETE FROM chaos_switch");
    if (refusal != Refusal.NONE) {
      execute("INSERT INTO chaos_switch VALUES ('" + refusal + "')");
    }
  }

  /** Sets a timeout of the role for sessions that begin later. */
  void limitRole(String setting, Duration time) throws SQLException {
    execute(
        "ALTER ROLE postgres IN DATABASE %s SET %s = %d"
            .formatted(TestedDatabase.NAME, setting, time.toMillis()));
  }

  /** Moves all tables to another place. */
  void moveTables(Path place) throws SQLException {
    execute("CREATE TABLESPACE chaos_small LOCATION '" + place + "'");
    execute("ALTER TABLE ALL IN TABLESPACE pg_default SET TABLESPACE chaos_small");
    execute("ALTER INDEX ALL IN TABLESPACE pg_default SET TABLESPACE chaos_small");
  }

  /** The URL by which an instance gets here through its proxy. */
  String urlThrough(FaultProxy proxy) {
    return product.urlThrough(server, proxy.port());
  }

  /** Ends sessions, each with the given probability. */
  void terminateSome(double share) throws SQLException {
    try (Connection connection = connect()) {
      product.endSessions(connection, share);
    }
  }

  boolean hasJoined(String life) throws SQLException {
    return number("SELECT count(*) FROM outbox_instance WHERE id = '" + life + "'") > 0;
  }

  /** Waits until all partitions belong to these. */
  void awaitOwners(Set<String> lives) throws SQLException, InterruptedException {
    String owners = lives.stream().collect(Collectors.joining("', '", "'", "'"));
    await(
        "SELECT CASE WHEN count(*) = 0 THEN 1 ELSE 0 END FROM outbox_partition WHERE owner_id IS NULL OR owner_id NOT IN ("
            + owners
            + ")");
  }

  long instances() throws SQLException {
    return number("SELECT count(*) FROM outbox_instance");
  }

  long pending() throws SQLException {
    return number(PENDING);
  }

  /** How many effects of consumers behind a broker are missing. */
  long unconsumed() throws SQLException {
    return number(ChaosTables.UNCONSUMED);
  }

  private long number(String query) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }

  void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Executes a statement that locks whole tables; a deadlock with a writer is tried again. */
  void maintain(String sql) throws SQLException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        execute(sql);
        return;
      } catch (SQLException e) {
        if (!DEADLOCK.equals(e.getSQLState()) || System.nanoTime() > end) {
          throw e;
        }
      }
    }
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url());
  }

  /** Where it is, past all proxies. */
  String url() {
    return server.jdbcUrl(TestedDatabase.NAME);
  }

  /**
   * Everything is at rest and was compared: what was done before is none of what follows. Nothing
   * of it may be replayed, retried or found under an idempotency key.
   */
  void forget() throws SQLException {
    execute("DELETE FROM chaos_order");
    execute("DELETE FROM chaos_effect");
    execute("DELETE FROM chaos_intrusion");
    execute("DELETE FROM outbox_dead");
    execute("DELETE FROM outbox_history");
    execute("DELETE FROM outbox_idempotency");
  }

  /**
   * What the run has left.
   *
   * @param stopped whether all instances have been
   */
  History history(Path directory, boolean stopped) throws SQLException, IOException {
    Map<String, String> counts = new LinkedHashMap<>();
    counts.put("outbox_message", "SELECT count(*) FROM outbox_message");
    counts.put("outbox_deferred", "SELECT count(*) FROM outbox_deferred");
    if (stopped) {
      counts.put("outbox_instance", "SELECT count(*) FROM outbox_instance");
      counts.put(
          "outbox_partition (owned)",
          "SELECT count(*) FROM outbox_partition WHERE owner_id IS NOT NULL");
    }
    Map<String, Long> leftovers = new LinkedHashMap<>();
    counts.forEach((table, query) -> leftovers.put(table, unchecked(query)));
    leftovers.values().removeIf(rows -> rows == 0);
    try (Connection connection = connect()) {
      return History.read(
          directory,
          ChaosTables.orders(connection),
          new History.Rows(
              dead(connection),
              leftovers,
              intrusions(connection),
              ChaosTables.effects(connection),
              ChaosTables.consumed(connection)));
    }
  }

  private long unchecked(String query) {
    try {
      return number(query);
    } catch (SQLException e) {
      throw new IllegalStateException(query, e);
    }
  }

  private Map<String, Set<UUID>> dead(Connection connection) throws SQLException {
    Map<String, Set<UUID>> dead = new HashMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT handler, id FROM outbox_dead")) {
      while (rows.next()) {
        dead.computeIfAbsent(rows.getString(1), any -> new HashSet<>()).add(product.id(rows, 2));
      }
    }
    return dead;
  }
}
