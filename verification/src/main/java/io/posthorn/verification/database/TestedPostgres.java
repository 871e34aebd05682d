/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.database;

import io.posthorn.servers.DatabaseServer;
import io.posthorn.servers.PostgresServer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/** The newest PostgreSQL. It knows sessions by their application_name. */
final class TestedPostgres implements TestedDatabase {
  @Override
  public String label() {
    return "postgresql";
  }

  @Override
  public DatabaseServer start() {
    PostgresServer server = PostgresServer.newest().withSetting("max_connections", "200");
    try {
      server.start();
      server.createDatabase(NAME);
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
    return server;
  }

  @Override
  public String urlThrough(DatabaseServer server, int port) {
    return server.jdbcUrl(NAME).replace(":" + server.port() + "/", ":" + port + "/")
        + "&socketTimeout=10&connectTimeout=5";
  }

  @Override
  public String named(String url, String session) {
    return url + "&ApplicationName=" + URLEncoder.encode(session, StandardCharsets.UTF_8);
  }

  @Override
  public void endSessions(Connection connection, double share) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < "
              + share);
    }
  }

  @Override
  public String counted() {
    return "bigserial PRIMARY KEY";
  }

  @Override
  public List<String> faultTables() {
    return List.of(
        "CREATE TABLE chaos_reference (order_id varchar(36) REFERENCES chaos_order DEFERRABLE INITIALLY DEFERRED)");
  }

  @Override
  public List<String> guards() {
    return List.of(
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
            .formatted(OPERATOR),
        guard("outbox_message", "DELETE", "OLD"),
        guard("outbox_deferred", "INSERT", "NEW"),
        guard("outbox_deferred", "UPDATE", "OLD"),
        guard("outbox_deferred", "DELETE", "OLD"),
        guard("outbox_dead", "INSERT", "NEW"));
  }

  private static String guard(String table, String change, String rows) {
    return "CREATE TRIGGER chaos_guard_%s AFTER %s ON %s REFERENCING %s TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION chaos_guard()"
        .formatted(change.toLowerCase(Locale.ROOT), change, table, rows);
  }

  @Override
  public List<String> refusals() {
    return List.of(
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
        """,
        "CREATE TRIGGER chaos_refuse BEFORE DELETE ON outbox_message FOR EACH STATEMENT EXECUTE FUNCTION chaos_refuse()");
  }

  @Override
  public UUID id(ResultSet row, int column) throws SQLException {
    return row.getObject(column, UUID.class);
  }

  @Override
  public String sizes() {
    return "SELECT sum(pg_table_size(relid)), sum(pg_indexes_size(relid)), sum(n_dead_tup) FROM pg_stat_user_tables WHERE relname LIKE 'outbox%'";
  }

  @Override
  public void breakCommit(Connection connection) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO chaos_reference (order_id) VALUES (?)")) {
      insert.setString(1, UUID.randomUUID().toString());
      insert.executeUpdate();
    }
  }

  /** By any statement that fails. */
  @Override
  public void abort(Connection connection) {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT 1 / 0");
    } catch (SQLException e) {
      // Swallowed, as careless handlers do.
    }
  }
}
