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
import java.sql.Timestamp;
import java.time.Duration;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What PostgreSQL says of its state; from catalogues and statistics, never by reading tables. */
public final class PostgresHealth {
  private static final long MANY_DEAD_ROWS = 100_000;

  /** For those whose beginning may not be seen. */
  private static final long MANY_TRANSACTIONS = 10_000;

  private static final String SEE_ALL =
      "GRANT pg_read_all_stats to the user, or pg_monitor, to see it";

  /** Partitions of a table count with it. %s: the names, as literals. */
  private static final String SIZES =
      """
      WITH named AS (SELECT name, place, CAST(to_regclass(name) AS oid) AS oid FROM unnest(ARRAY[%s]) WITH ORDINALITY AS n(name, place)),
           all_of AS (SELECT name, place, oid FROM named
                      UNION ALL SELECT name, place, inhrelid FROM named JOIN pg_inherits ON inhparent = named.oid)
      SELECT name, sum(pg_table_size(c.oid)), sum(pg_indexes_size(c.oid)), sum(s.n_live_tup), sum(s.n_dead_tup),
             max(GREATEST(s.last_vacuum, s.last_autovacuum)),
             bool_or(COALESCE(array_to_string(c.reloptions, ' ') ~ 'autovacuum_enabled=(false|off|no|0)', FALSE))
        FROM all_of JOIN pg_class c ON c.oid = all_of.oid LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid
       GROUP BY name, place ORDER BY place
      """;

  /**
   * Snapshots keep dead rows in their own database, transactions with a number hold back floors
   * from any. A vacuum does neither.
   */
  private static final String SESSIONS =
      """
      SELECT pid, usename, application_name, state, CAST(extract(epoch FROM clock_timestamp() - xact_start) * 1000 AS bigint),
             GREATEST(age(backend_xmin), age(backend_xid)), backend_type
        FROM pg_stat_activity
       WHERE pid <> pg_backend_pid() AND backend_type IS DISTINCT FROM 'autovacuum worker'
         AND (backend_xid IS NOT NULL
              OR backend_xmin IS NOT NULL AND (datname = current_database() OR datname IS NULL))
      """;

  private static final String PREPARED =
      """
      SELECT gid, owner, database, CAST(extract(epoch FROM clock_timestamp() - prepared) * 1000 AS bigint), age(transaction)
        FROM pg_prepared_xacts
      """;

  private static final String SLOTS =
      """
      SELECT slot_name, active, age(xmin), pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) FROM pg_replication_slots
      """;

  private static final String SETTINGS =
      """
      SELECT name, setting FROM pg_settings
       WHERE name IN ('autovacuum', 'track_counts', 'fsync', 'full_page_writes', 'synchronous_commit')
      """;

  private final HealthReport report;
  private final UnaryOperator<String> names;
  private final Duration patience;

  private PostgresHealth(Connection connection, UnaryOperator<String> names, Duration patience) {
    this.report = new HealthReport(connection);
    this.names = names;
    this.patience = patience;
  }

  public static DatabaseHealth of(
      Connection connection, UnaryOperator<String> names, Duration patience) throws SQLException {
    return new PostgresHealth(connection, names, patience).ask();
  }

  private DatabaseHealth ask() throws SQLException {
    report.ask("sessions", SEE_ALL, SESSIONS, this::session);
    report.ask("prepared transactions", SEE_ALL, PREPARED, this::prepared);
    report.ask("replication slots", SEE_ALL, SLOTS, this::slot);
    String literals =
        HealthReport.fullNames(names).stream().collect(Collectors.joining("', '", "'", "'"));
    report.ask("sizes", "", SIZES.formatted(literals), this::table);
    report.tables().forEach(this::deadRows);
    report.askFloorLag(
        "GRANT SELECT ON SEQUENCE " + names.apply("seq"),
        "SELECT pg_sequence_last_value('%s'::regclass) - min(floor_seq) FROM %s WHERE owner_id IS NOT NULL"
            .formatted(names.apply("seq"), names.apply("partition")));
    settings();
    return report.health();
  }

  private static @Nullable Duration age(ResultSet row, int column) throws SQLException {
    long millis = row.getLong(column);
    return row.wasNull() ? null : Duration.ofMillis(Math.max(0, millis));
  }

  private boolean isOld(@Nullable Duration age, long transactions) {
    return age == null ? transactions > MANY_TRANSACTIONS : age.compareTo(patience) > 0;
  }

  private static String lasting(@Nullable Duration age, long transactions) {
    return age == null
        ? "for %d transactions".formatted(transactions)
        : "for %d s".formatted(age.toSeconds());
  }

  private void session(ResultSet row) throws SQLException {
    int pid = row.getInt(1);
    String who =
        "session %d of \"%s\" (application_name \"%s\")"
            .formatted(pid, row.getString(2), row.getString(3));
    String state = row.getString(4);
    Duration age = age(row, 5);
    long transactions = row.getLong(6);
    report.hold(new Holder(who, age));
    if (age == null && !"walsender".equals(row.getString(7))) {
      report.unseen("since when the transaction of %s is open. %s".formatted(who, SEE_ALL));
    }
    if (isOld(age, transactions)) {
      report.find(
          Topic.OLD_TRANSACTION,
          "%s has had a transaction open %s%s"
              .formatted(who, lasting(age, transactions), state == null ? "" : ", " + state),
          "deleted rows of the outbox stay until it ends: let it end sooner, or run SELECT pg_terminate_backend(%d); for sessions that forget, set idle_in_transaction_session_timeout"
              .formatted(pid));
    }
  }

  private void prepared(ResultSet row) throws SQLException {
    String gid = row.getString(1);
    String who =
        "prepared transaction \"%s\" of \"%s\" in database \"%s\""
            .formatted(gid, row.getString(2), row.getString(3));
    Duration age = age(row, 4);
    long transactions = row.getLong(5);
    report.hold(new Holder(who, age));
    if (isOld(age, transactions)) {
      report.find(
          Topic.PREPARED_TRANSACTION,
          "%s has waited %s".formatted(who, lasting(age, transactions)),
          "it keeps its locks and deleted rows, through restarts too: if its transaction manager has forgotten it, run COMMIT PREPARED '%1$s' or ROLLBACK PREPARED '%1$s'"
              .formatted(gid));
    }
  }

  private void slot(ResultSet row) throws SQLException {
    String name = row.getString(1);
    boolean active = row.getBoolean(2);
    long transactions = row.getLong(3); // 0 if it holds no rows
    String who = "replication slot \"%s\"".formatted(name);
    if (transactions > 0) {
      report.hold(new Holder(who, null));
    }
    if (!active) {
      report.find(
          Topic.REPLICATION_SLOT,
          "%s has no consumer; it keeps %d bytes of the log".formatted(who, row.getLong(4)),
          "start its consumer, or run SELECT pg_drop_replication_slot('%s') if it is gone, before the disk is full"
              .formatted(name));
    } else if (transactions > MANY_TRANSACTIONS) {
      report.find(
          Topic.REPLICATION_SLOT,
          "%s has kept deleted rows for %d transactions".formatted(who, transactions),
          "end old queries on its replica, or turn hot_standby_feedback off there");
    }
  }

  private void table(ResultSet row) throws SQLException {
    String name = row.getString(1);
    Timestamp vacuumed = row.getTimestamp(6);
    report.add(
        new Table(
            name,
            row.getLong(2),
            row.getLong(3),
            row.getLong(4),
            row.getLong(5),
            vacuumed == null ? null : vacuumed.toInstant()));
    if (row.getBoolean(7)) {
      report.find(
          Topic.SETTING,
          "autovacuum is off for table \"%s\"".formatted(name),
          "run ALTER TABLE %s RESET (autovacuum_enabled)".formatted(name));
    }
  }

  private void deadRows(Table table) {
    Long dead = table.deadRows();
    if (dead == null || dead <= Math.max(MANY_DEAD_ROWS, table.rows() / 2)) {
      return;
    }
    Holder oldest = report.oldest();
    String vacuum = "run VACUUM %s, and see that autovacuum keeps up".formatted(table.name());
    report.find(
        Topic.DEAD_ROWS,
        "table \"%s\" has %d dead rows beside %d others; last vacuum: %s"
            .formatted(
                table.name(),
                dead,
                table.rows(),
                table.vacuumedAt() == null ? "never" : table.vacuumedAt()),
        oldest == null
            ? vacuum
            : "no vacuum can remove what %s may still see; when that has ended, %s"
                .formatted(oldest.who(), vacuum));
  }

  private void settings() throws SQLException {
    Map<String, String> settings = report.settings(SETTINGS);
    String vacuum =
        "set it to on and reload the server, or the tables of the outbox grow and reads slow down";
    report.findSetting(settings, "autovacuum", "off", vacuum);
    report.findSetting(settings, "track_counts", "off", vacuum + ": autovacuum needs it");
    String loss = ", or a crash of the machine can damage the database or lose committed messages";
    report.findSetting(settings, "fsync", "off", "set it to on and reload the server" + loss);
    report.findSetting(
        settings, "full_page_writes", "off", "set it to on and reload the server" + loss);
    report.findSetting(
        settings,
        "synchronous_commit",
        "off",
        "set it to on, or a crash of the server loses the messages of the last moments with their transactions");
  }
}
