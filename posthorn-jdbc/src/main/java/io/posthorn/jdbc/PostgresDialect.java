/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc;

import io.posthorn.DatabaseHealth;
import io.posthorn.jdbc.internal.PostgresHealth;
import io.posthorn.jdbc.internal.PostgresProblems;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;

/**
 * PostgreSQL 14.1 and newer, in a database with the encoding UTF8.
 *
 * @since 0.1
 */
public class PostgresDialect implements Dialect {
  private static final long GREGORIAN = Instant.parse("1600-01-01T00:00:00Z").toEpochMilli();
  private static final int BILLION = 1_000_000_000;
  private static final String TIMELINE = "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)";

  private volatile Second second = Second.of(Instant.EPOCH); // of the last time that was bound

  @Override
  public String name() {
    return "postgresql";
  }

  @Override
  public boolean speaks(String productName) {
    return productName.equals("PostgreSQL");
  }

  @Override
  public List<String> problems(Connection connection, String sequence) throws SQLException {
    return PostgresProblems.of(connection, sequence);
  }

  /**
   * Server, timeline (a new one begins with each promotion and each restore to a point in time),
   * database and table.
   */
  @Override
  public Optional<String> identity(String table) {
    return Optional.of(
        """
        SELECT concat_ws('/', s.system_identifier, %s, d.oid, '%s'::regclass::oid)
          FROM pg_control_system() s, pg_database d WHERE d.datname = current_database()
        """
            .formatted(TIMELINE, table));
  }

  @Override
  public String now() {
    return "clock_timestamp()";
  }

  @Override
  public String plusMillis(String time, String millis) {
    return "(" + time + " + " + millis + " * interval '1 millisecond')";
  }

  @Override
  public String millisUntil(String time) {
    return "(extract(epoch FROM " + time + " - " + now() + ") * 1000)::bigint";
  }

  @Override
  public String nextValue(String sequence) {
    return "nextval('" + sequence + "')";
  }

  @Override
  public String keyShareLock() {
    return "FOR KEY SHARE";
  }

  @Override
  public String lockUnlocked() {
    return "FOR UPDATE SKIP LOCKED";
  }

  @Override
  public String rowPlace() {
    return "ctid::text";
  }

  @Override
  public Optional<String> rowPlaces(String table) {
    return Optional.of(table + ".ctid = ANY (?::tid[])");
  }

  @Override
  public boolean hasArrays() {
    return true;
  }

  @Override
  public Optional<String> horizon(String sequence) {
    // The snapshot's own upper bound is of no use: it is the number after the last transaction that
    // has ended, and transactions with this or a higher number may have drawn their seqs. Nor is
    // the sequence's column: for a moment, each 32 values, it is 32 ahead of what was drawn. The
    // function waits for that moment to pass.
    return Optional.of(
        """
        SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
               COALESCE(pg_sequence_last_value('%s'::regclass), 0),
               CASE WHEN wanted THEN pg_current_xact_id()::text::bigint END
          FROM (SELECT CAST(? AS boolean)) AS asked(wanted)
        """
            .formatted(sequence));
  }

  /** Publishers do not wait for it, and cannot have drawn up to either value in the meantime. */
  @Override
  public Optional<String> raise(String sequence) {
    return Optional.of(
        """
        SELECT setval('%1$s', w.target) FROM (SELECT CAST(? AS bigint), CAST(? AS bigint)) AS w(stored, target)
         WHERE w.stored > COALESCE(pg_sequence_last_value('%1$s'::regclass), 0)
        """
            .formatted(sequence));
  }

  /**
   * Whoever inserts has this lock from before its seq is drawn to its end; the lock goes after the
   * commit has become visible. A transaction that is prepared keeps its virtual number.
   */
  @Override
  public Optional<String> publishers(String table) {
    return Optional.of(
        """
        SELECT virtualtransaction FROM pg_locks
         WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND granted AND relation = '%s'::regclass
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """
            .formatted(table));
  }

  /** What is inserted into the log, and not flushed: asynchronous commits can be seen before. */
  @Override
  public Optional<String> serverRun() {
    return Optional.of(
        "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint, (pg_current_wal_insert_lsn() - '0/0')::bigint");
  }

  /**
   * The timeline, a new one of which begins with each promotion and each restore to a point in
   * time; and the last checkpoint, the first of which is made when a server has recovered.
   */
  @Override
  public Optional<String> serverPast() {
    return Optional.of(
        "SELECT ('x' || %s)::bit(32)::bigint, (checkpoint_lsn - '0/0')::bigint FROM pg_control_checkpoint()"
            .formatted(TIMELINE));
  }

  /**
   * As text: the driver makes a calendar for each time, which takes longer than all else. Most
   * times are of the same second as the one before, and differ in their fraction only.
   */
  @Override
  public void bindTime(PreparedStatement statement, int parameter, Instant time)
      throws SQLException {
    Second whole = second;
    if (whole.epoch != time.getEpochSecond()) {
      whole = Second.of(time);
      second = whole;
    }
    String nanos = Integer.toString(BILLION + time.getNano()).substring(1);
    statement.setObject(parameter, whole.text + nanos + "Z", Types.OTHER);
  }

  /**
   * Else the driver takes rows as text until a statement has been run five times: of a backlog,
   * most of a hundred thousand messages. Zero is how users forbid it, for the sake of a pooler.
   */
  @Override
  public void prepareAtOnce(PreparedStatement statement) throws SQLException {
    PGStatement ours = statement.unwrap(PGStatement.class);
    if (ours.getPrepareThreshold() > 1) {
      ours.setPrepareThreshold(1);
    }
  }

  /**
   * As a number, of which the driver makes a timestamp at once. For one with an offset it takes a
   * date to its parts and puts it together again; but in the first one, years before the Gregorian
   * calendar are others.
   */
  @Override
  public @Nullable Instant time(ResultSet row, int column) throws SQLException {
    Timestamp time = row.getTimestamp(column);
    if (time == null) {
      return null;
    }
    return time.getTime() < GREGORIAN ? Dialect.super.time(row, column) : time.toInstant();
  }

  /**
   * The second of a time.
   *
   * @param text down to the point before the fraction
   */
  private record Second(long epoch, String text) {
    static Second of(Instant time) {
      String full = time.atOffset(ZoneOffset.UTC).withNano(1).toString();
      return new Second(time.getEpochSecond(), full.substring(0, full.indexOf('.') + 1));
    }
  }

  @Override
  public Optional<String> keyLookups(boolean only) {
    // An index is left to bitmap scans, which need a condition on it. A plain scan does not: a
    // table that was empty when statistics were taken, as an outbox mostly is, would be joined by
    // a walk over its whole index.
    return Optional.of(settings(only, "enable_seqscan", "enable_indexscan"));
  }

  @Override
  public Optional<String> orderedScans(boolean only) {
    // With statistics of a few rows a sort of all that is behind the place costs no more than the
    // first row in the order of the index, and the plan is kept while the table grows.
    return Optional.of(settings(only, "enable_seqscan", "enable_bitmapscan", "enable_sort"));
  }

  /** Null puts a setting back to what the session began with. */
  private static String settings(boolean off, String... names) {
    return Stream.of(names)
        .map(name -> "set_config('%s', %s, true)".formatted(name, off ? "'off'" : "NULL"))
        .collect(Collectors.joining(", "));
  }

  @Override
  public Optional<String> plannedOnce() {
    return Optional.of(
        "set_config('plan_cache_mode', 'force_generic_plan', true), set_config('statement_timeout', '30s', true)");
  }

  /** Else a transaction gets its number when the row is written, after all columns are known. */
  @Override
  public String numbered(String expression) {
    return "CASE WHEN pg_current_xact_id() IS NOT NULL THEN " + expression + " END";
  }

  /** A failed statement would end the transaction. */
  @Override
  public Optional<String> passOverExisting() {
    return Optional.of("ON CONFLICT DO NOTHING");
  }

  @Override
  public int maxParameters() {
    return 32_767;
  }

  @Override
  public boolean createsTablesByDefault() {
    return false;
  }

  @Override
  public Optional<String> creationLock() {
    return Optional.of("SELECT pg_advisory_xact_lock(hashtext('posthorn'))");
  }

  /** The settings end with the transaction, so nothing is left behind on a pooled connection. */
  @Override
  public Optional<String> transactionLimit(Duration limit) {
    return Optional.of(
        "SELECT set_config('idle_in_transaction_session_timeout', '%1$d', true), set_config('lock_timeout', '%1$d', true), set_config('statement_timeout', '%1$d', true)"
            .formatted(limit.toMillis()));
  }

  @Override
  public Optional<String> nonDurableTransactionLimit(Duration limit) {
    return transactionLimit(limit)
        .map(settings -> settings + ", set_config('synchronous_commit', 'off', true)");
  }

  /** Shorter than deadlock_timeout: of a script and a publisher, the script gives way. */
  @Override
  public Optional<String> scriptLimit(Duration limit) {
    return Optional.of(
        "SELECT set_config('lock_timeout', '%d', true)".formatted(Math.min(500, limit.toMillis())));
  }

  /** Lock timeout, deadlock. */
  @Override
  public boolean tablesWereInUse(SQLException e) {
    return "55P03".equals(e.getSQLState()) || "40P01".equals(e.getSQLState());
  }

  @Override
  public boolean hasNotifications() {
    return true;
  }

  @Override
  public boolean namesSessions() {
    return true;
  }

  @Override
  public DatabaseHealth health(
      Connection connection, UnaryOperator<String> names, Duration patience) throws SQLException {
    return PostgresHealth.of(connection, names, patience);
  }
}
