/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.servers.PostgresServer;
import io.posthorn.verification.history.History;
import io.posthorn.verification.instance.ChaosTables;
import io.posthorn.verification.instance.InstanceMain;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
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
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.postgresql.ds.PGSimpleDataSource;

/** The database under test, seen past all proxies. */
final class ChaosDatabase {
  static final String TOO_MANY_CONNECTIONS = "53300";

  private static final String DEADLOCK = "40P01";
  private static final String NAME = "chaos";
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(20);
  private static final String PENDING =
      "SELECT (SELECT count(*) FROM outbox_message) + (SELECT count(*) FROM outbox_deferred)";

  private PostgresServer server;

  private ChaosDatabase(PostgresServer server) {
    this.server = server;
  }

  static ChaosDatabase create(PostgresServer server, int partitions) throws SQLException {
    server.createDatabase(NAME);
    ChaosDatabase database = new ChaosDatabase(server);
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(server.jdbcUrl(NAME));
    ChaosTables.create(dataSource, partitions);
    database.createSwitch();
    database.createGuard();
    return database;
  }

  /** Another server has taken the place of the one before. */
  void moveTo(PostgresServer other) {
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

  /**
   * Notes rows that are changed by a relay which does not own their partition. Operators may do
   * that, and publishers write delayed messages.
   */
  private void createGuard() throws SQLException {
    execute(
        "CREATE TABLE chaos_intrusion (who text, what text, partition_no smallint, seq bigint, owner text)");
    execute(
        """
        CREATE FUNCTION chaos_guard() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO chaos_intrusion
          SELECT current_setting('application_name'), TG_OP || ' ' || TG_TABLE_NAME, c.partition_no, c.seq, p.owner_id
            FROM changed c JOIN outbox_partition p ON p.partition_no = c.partition_no
           WHERE p.owner_id IS DISTINCT FROM current_setting('application_name')
             AND current_setting('application_name') <> '%s'
             AND NOT (TG_OP = 'INSERT' AND to_jsonb(c) ->> 'reason' = 'DELAYED');
          RETURN NULL;
        END $$
        """
            .formatted(InstanceMain.OPERATOR));
    guard("outbox_message", "DELETE", "OLD");
    guard("outbox_deferred", "INSERT", "NEW");
    guard("outbox_deferred", "UPDATE", "OLD");
    guard("outbox_deferred", "DELETE", "OLD");
    guard("outbox_dead", "INSERT", "NEW");
  }

  private void guard(String table, String change, String rows) throws SQLException {
    execute(
        "CREATE TRIGGER chaos_guard_%s AFTER %s ON %s REFERENCING %s TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION chaos_guard()"
            .formatted(change.toLowerCase(Locale.ROOT), change, table, rows));
  }

  private static List<String> intrusions(Connection connection) throws SQLException {
    List<String> intrusions = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT c::text FROM chaos_intrusion c")) {
      while (rows.next()) {
        intrusions.add(rows.getString(1));
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
    execute("CREATE TABLE chaos_switch (refusal text NOT NULL)");
    execute("INSERT INTO chaos_switch VALUES ('NONE')");
    execute(
        """
        CREATE FUNCTION chaos_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          CASE (SELECT refusal FROM chaos_switch)
            WHEN 'DISK' THEN
              RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
            WHEN 'TIMEOUT' THEN
              PERFORM pg_sleep(1);
              RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = 'query_canceled';
            ELSE NULL;
          END CASE;
          RETURN NULL;
        END $$
        """);
    execute(
        "CREATE TRIGGER chaos_refuse BEFORE DELETE ON outbox_message FOR EACH STATEMENT EXECUTE FUNCTION chaos_refuse()");
  }

  void refuseSettles(Refusal refusal) throws SQLException {
    execute("UPDATE chaos_switch SET refusal = '" + refusal + "'");
  }

  /** Sets a timeout of the role for sessions that begin later. */
  void limitRole(String setting, Duration time) throws SQLException {
    execute(
        "ALTER ROLE postgres IN DATABASE %s SET %s = %d".formatted(NAME, setting, time.toMillis()));
  }

  /** Moves all tables to another place. */
  void moveTables(Path place) throws SQLException {
    execute("CREATE TABLESPACE chaos_small LOCATION '" + place + "'");
    execute("ALTER TABLE ALL IN TABLESPACE pg_default SET TABLESPACE chaos_small");
    execute("ALTER INDEX ALL IN TABLESPACE pg_default SET TABLESPACE chaos_small");
  }

  /** The URL by which a life of an instance gets here through its proxy. */
  String urlThrough(FaultProxy proxy, String life) {
    return server.jdbcUrl(NAME).replace(":" + server.port() + "/", ":" + proxy.port() + "/")
        + "&socketTimeout=10&connectTimeout=5&ApplicationName="
        + URLEncoder.encode(life, StandardCharsets.UTF_8);
  }

  /** Ends sessions, each with the given probability. */
  void terminateSome(double share) throws SQLException {
    execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < "
            + share);
  }

  boolean hasJoined(String life) throws SQLException {
    return number("SELECT count(*) FROM outbox_instance WHERE id = '" + life + "'") > 0;
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
    return DriverManager.getConnection(server.jdbcUrl(NAME));
  }

  /** Where it is, past all proxies. */
  String url() {
    return server.jdbcUrl(NAME);
  }

  /**
   * Everything is at rest and was compared: what was done before is none of what follows. Nothing
   * of it may be replayed, retried or found under an idempotency key.
   */
  void forget() throws SQLException {
    execute("TRUNCATE chaos_order, chaos_effect, chaos_reference, chaos_intrusion");
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

  private static Map<String, Set<UUID>> dead(Connection connection) throws SQLException {
    Map<String, Set<UUID>> dead = new HashMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT handler, id FROM outbox_dead")) {
      while (rows.next()) {
        dead.computeIfAbsent(rows.getString(1), any -> new HashSet<>())
            .add(rows.getObject(2, UUID.class));
      }
    }
    return dead;
  }
}
