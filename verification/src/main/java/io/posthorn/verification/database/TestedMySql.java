/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.database;

import io.posthorn.jdbc.MySqlDialect;
import io.posthorn.servers.DatabaseServer;
import io.posthorn.servers.MySqlServer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** MySQL. Its sessions carry their name in a variable. */
class TestedMySql implements TestedDatabase {
  private static final MySqlDialect DIALECT = new MySqlDialect();

  @Override
  public String label() {
    return "mysql";
  }

  @Override
  public String lacks() {
    return MySqlServer.mySqlRuns() ? "" : "the Debian package \"libaio1\" is not installed";
  }

  @Override
  public DatabaseServer start() {
    return started(MySqlServer.mySql());
  }

  static DatabaseServer started(MySqlServer server) {
    try {
      server.start();
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
    return server;
  }

  @Override
  public String urlThrough(DatabaseServer server, int port) {
    return server.jdbcUrl(NAME).replace(":" + server.port() + "/", ":" + port + "/")
        + "&socketTimeout=10000&connectTimeout=5000";
  }

  @Override
  public String named(String url, String session) {
    return url
        + "&sessionVariables="
        + URLEncoder.encode(variable(session), StandardCharsets.UTF_8);
  }

  static String variable(String session) {
    return "@chaos_session='" + session + "'";
  }

  @Override
  public void endSessions(Connection connection, double share) throws SQLException {
    List<Long> sessions = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID() AND RAND() < "
                    + share)) {
      while (rows.next()) {
        sessions.add(rows.getLong(1));
      }
    }
    for (long session : sessions) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("KILL " + session);
      } catch (SQLException e) {
        System.err.println(e); // it has ended by itself
      }
    }
  }

  @Override
  public String counted() {
    return "bigint AUTO_INCREMENT PRIMARY KEY";
  }

  @Override
  public List<String> faultTables() {
    return List.of(
        "CREATE TABLE chaos_fault (name varchar(50) PRIMARY KEY, number bigint NOT NULL)",
        "INSERT INTO chaos_fault (name, number) VALUES ('taken', 0)");
  }

  /**
   * Within a DELETE, InnoDB locks all that a trigger reads. So who owns a partition is read from a
   * copy, which is changed with the owner only: relays change outbox_partition with each heartbeat.
   */
  @Override
  public List<String> guards() {
    return List.of(
        "CREATE TABLE chaos_owner (partition_no smallint PRIMARY KEY, owner_id varchar(100))",
        "INSERT INTO chaos_owner SELECT partition_no, owner_id FROM outbox_partition",
        """
        CREATE TRIGGER chaos_owner AFTER UPDATE ON outbox_partition FOR EACH ROW
        IF NOT (OLD.owner_id <=> NEW.owner_id) THEN
          UPDATE chaos_owner SET owner_id = NEW.owner_id WHERE partition_no = NEW.partition_no;
        END IF
        """,
        guard("outbox_message", "DELETE", "OLD", ""),
        guard("outbox_deferred", "INSERT", "NEW", " AND NEW.reason <> 'DELAYED'"),
        guard("outbox_deferred", "UPDATE", "OLD", ""),
        guard("outbox_deferred", "DELETE", "OLD", ""),
        guard("outbox_dead", "INSERT", "NEW", ""));
  }

  /** As bytes: who compares text needs to know its collation. */
  private static String guard(String table, String change, String row, String condition) {
    return """
    CREATE TRIGGER chaos_guard_%1$s_%2$s AFTER %2$s ON %1$s FOR EACH ROW
      INSERT INTO chaos_intrusion
      SELECT COALESCE(@chaos_session, 'nobody'), '%2$s %1$s', %3$s.partition_no, %3$s.seq, p.owner_id
        FROM chaos_owner p
       WHERE p.partition_no = %3$s.partition_no
         AND NOT (CAST(p.owner_id AS BINARY) <=> CAST(@chaos_session AS BINARY))
         AND NOT (CAST(@chaos_session AS BINARY) <=> CAST('%4$s' AS BINARY))%5$s
    """
        .formatted(table, change, row, OPERATOR, condition);
  }

  @Override
  public List<String> refusals() {
    return List.of(
        """
        CREATE TRIGGER chaos_refuse BEFORE DELETE ON outbox_message FOR EACH ROW
        BEGIN
          CASE (SELECT refusal FROM chaos_switch)
            WHEN 'DISK' THEN
              SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1114, MESSAGE_TEXT = 'The table ''outbox_message'' is full';
            WHEN 'TIMEOUT' THEN
              DO SLEEP(1);
              SIGNAL SQLSTATE '%s' SET MYSQL_ERRNO = %d, MESSAGE_TEXT = 'Query execution was interrupted, maximum statement execution time exceeded';
            ELSE BEGIN END;
          END CASE;
        END
        """
            .formatted(timeoutState(), timeoutError()));
  }

  String timeoutState() {
    return "HY000";
  }

  int timeoutError() {
    return 3024;
  }

  @Override
  public UUID id(ResultSet row, int column) throws SQLException {
    return DIALECT.id(row, column);
  }

  @Override
  public String sizes() {
    return "SELECT sum(data_length), sum(index_length), 0 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name LIKE 'outbox%'";
  }

  /** Nothing is checked at the commit only. */
  @Override
  public void breakCommit(Connection connection) throws SQLException {
    try (Statement insert = connection.createStatement()) {
      insert.execute("INSERT INTO chaos_fault (name, number) VALUES ('taken', 1)");
    }
  }

  /** A statement that fails is taken back alone, but a deadlock takes back all of a transaction. */
  @Override
  public void abort(Connection connection) throws SQLException {
    Deadlock.lose(connection);
  }
}
