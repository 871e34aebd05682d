/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.DatabaseHealth;
import io.posthorn.DatabaseHealth.Holder;
import io.posthorn.DatabaseHealth.Table;
import io.posthorn.DatabaseHealth.Topic;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** What MySQL or MariaDB says of its state; from its catalogue, never by reading large tables. */
public final class MySqlHealth {
  private static final long LONG_HISTORY = 100_000;
  private static final String PROCESS = "GRANT PROCESS ON *.* to the user to see it";

  /** %s: the names, as literals; with a schema, if they have one. */
  private static final String SIZES =
      """
      SELECT table_name, data_length, index_length, table_rows FROM information_schema.tables
       WHERE table_schema = %s AND table_name IN (%s) ORDER BY table_name
      """;

  /** A prepared transaction whose session is gone has the thread 0. */
  private static final String TRANSACTIONS =
      """
      SELECT t.trx_mysql_thread_id, p.user, p.host, p.command, TIMESTAMPDIFF(SECOND, t.trx_started, NOW())
        FROM information_schema.innodb_trx t LEFT JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
       WHERE t.trx_mysql_thread_id <> CONNECTION_ID()
      """;

  private static final String SETTINGS =
      """
      SHOW GLOBAL VARIABLES WHERE Variable_name IN ('innodb_flush_log_at_trx_commit', 'innodb_doublewrite', 'sync_binlog', 'log_bin',
        'innodb_force_recovery', 'wsrep_on', 'group_replication_single_primary_mode')
      """;

  private final Connection connection;
  private final HealthReport report;
  private final boolean mariaDb;
  private final UnaryOperator<String> names;
  private final Duration patience;

  private MySqlHealth(
      Connection connection, boolean mariaDb, UnaryOperator<String> names, Duration patience) {
    this.connection = connection;
    this.report = new HealthReport(connection);
    this.mariaDb = mariaDb;
    this.names = names;
    this.patience = patience;
  }

  public static DatabaseHealth of(
      Connection connection, UnaryOperator<String> names, Duration patience) throws SQLException {
    boolean mariaDb = connection.getMetaData().getDatabaseProductName().equals("MariaDB");
    return new MySqlHealth(connection, mariaDb, names, patience).ask();
  }

  private DatabaseHealth ask() throws SQLException {
    report.ask("transactions and who holds them", PROCESS, TRANSACTIONS, this::transaction);
    report.ask("history list length", PROCESS, historyLength(), this::history);
    currentSizes();
    report.askFloorLag(
        "",
        "SELECT (SELECT max(seq) FROM %s) - min(floor_seq) FROM %s WHERE owner_id IS NOT NULL"
            .formatted(names.apply("message"), names.apply("partition")));
    settings();
    return report.health();
  }

  /** MariaDB tells it to everybody; where MySQL keeps it, one needs the right PROCESS. */
  private String historyLength() {
    return mariaDb
        ? "SHOW GLOBAL STATUS LIKE 'Innodb_history_list_length'"
        : "SELECT name, count FROM information_schema.innodb_metrics WHERE name = 'trx_rseg_history_len'";
  }

  private String sizes() {
    String message = names.apply("message");
    int dot = message.indexOf('.');
    String schema = dot < 0 ? "DATABASE()" : "'" + message.substring(0, dot) + "'";
    String tables =
        HealthReport.fullNames(names).stream()
            .map(name -> name.substring(dot + 1))
            .collect(Collectors.joining("', '", "'", "'"));
    return SIZES.formatted(schema, tables);
  }

  /** MySQL remembers what it told of tables for a day, unless the session does not want that. */
  private void currentSizes() throws SQLException {
    if (mariaDb) {
      report.ask("sizes", "", sizes(), this::table);
      return;
    }
    run(
        "SET @posthorn_expiry = @@SESSION.information_schema_stats_expiry, SESSION information_schema_stats_expiry = 0");
    try {
      report.ask("sizes", "", sizes(), this::table);
    } finally {
      run("SET SESSION information_schema_stats_expiry = @posthorn_expiry");
    }
  }

  private void run(String sql) throws SQLException {
    SqlWork.run(connection, Optional.of(sql));
  }

  private void table(ResultSet row) throws SQLException {
    report.add(
        new Table(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4), null, null));
  }

  private void transaction(ResultSet row) throws SQLException {
    long thread = row.getLong(1);
    Duration age = Duration.ofSeconds(Math.max(0, row.getLong(5)));
    boolean prepared = thread == 0;
    String who =
        prepared
            ? "a prepared XA transaction without a session"
            : "session %d of \"%s\" from \"%s\""
                .formatted(thread, row.getString(2), row.getString(3));
    report.hold(new Holder(who, age));
    if (age.compareTo(patience) <= 0) {
      return;
    }
    if (prepared) {
      report.find(
          Topic.PREPARED_TRANSACTION,
          "%s has waited for %d s".formatted(who, age.toSeconds()),
          "it keeps its locks, a gate of the outbox may be among them: XA RECOVER names it; if its transaction manager has forgotten it, run XA COMMIT or XA ROLLBACK with that name");
    } else {
      report.find(
          Topic.OLD_TRANSACTION,
          "%s has had a transaction open for %d s, %s"
              .formatted(who, age.toSeconds(), row.getString(4)),
          "deleted rows of the outbox are not purged until it ends, and if it has published, later messages wait for it: let it end sooner, or run KILL %d"
              .formatted(thread));
    }
  }

  private void history(ResultSet row) throws SQLException {
    long length = row.getLong(2);
    report.historyLength(length);
    if (length > LONG_HISTORY) {
      report.find(
          Topic.HISTORY_LENGTH,
          "the history list has %d entries".formatted(length),
          "reads walk over deleted rows until they are purged: end the oldest transaction; if there is none, the purge is too slow for the writes, see innodb_purge_threads");
    }
  }

  private void settings() throws SQLException {
    Map<String, String> settings = report.settings(SETTINGS);
    for (String weak : List.of("0", "2")) {
      report.findSetting(
          settings,
          "innodb_flush_log_at_trx_commit",
          weak,
          "set it to 1, or a crash of the machine loses the messages of the last second with their transactions");
    }
    report.findSetting(
        settings,
        "innodb_doublewrite",
        "OFF",
        "set it to ON, or a crash of the machine can damage the database");
    if ("ON".equals(settings.get("log_bin"))) {
      report.findSetting(
          settings,
          "sync_binlog",
          "0",
          "set it to 1, or after a crash of the machine replicas can lack messages that are committed here");
    }
    String oneWriter =
        "write the outbox through one node only: locks are local to a node, so order is not promised with several";
    report.findSetting(settings, "wsrep_on", "ON", oneWriter);
    report.findSetting(settings, "group_replication_single_primary_mode", "OFF", oneWriter);
  }
}
