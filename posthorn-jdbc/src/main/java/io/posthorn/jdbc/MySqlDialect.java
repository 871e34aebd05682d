/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc;

import io.posthorn.DatabaseHealth;
import io.posthorn.jdbc.internal.MySqlHealth;
import io.posthorn.jdbc.internal.MySqlProblems;
import io.posthorn.jdbc.internal.MySqlWarnings;
import io.posthorn.spi.StoreException.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * MySQL 8.0.19 and newer, with InnoDB. Times are stored in UTC, whatever the zone of session and
 * server.
 *
 * @since 0.1
 */
public class MySqlDialect extends UtcDialect {
  private static final int DEADLOCK = 1213;
  private static final int LOCK_WAIT_TIMEOUT = 1205;

  /** Column, index, check or foreign key that is there; one that is not there any more. */
  private static final Set<Integer> DONE_BEFORE = Set.of(1060, 1061, 1091, 1826, 3821, 3822);

  private static final int RECORD_HAS_CHANGED = 1020; // MariaDB, innodb_snapshot_isolation

  /** Too many connections, of one user too; disk or table full; read-only after a failover. */
  private static final Set<Integer> UNAVAILABLE =
      Set.of(1040, 1203, 1226, 1021, 1114, 1290, 1792, 1836);

  /** A value that does not fit its column or its character set, or is larger than a packet. */
  private static final Set<Integer> CONTENT = Set.of(1153, 1264, 1366, 1406, 3988);

  @Override
  public String name() {
    return "mysql";
  }

  @Override
  public boolean speaks(String productName) {
    return productName.equals("MySQL");
  }

  @Override
  public List<String> problems(Connection connection, String sequence) throws SQLException {
    return MySqlProblems.of(connection);
  }

  @Override
  public List<String> warnings(Connection connection) throws SQLException {
    return MySqlWarnings.of(connection);
  }

  /** The same for all of a statement. */
  @Override
  public String now() {
    return "UTC_TIMESTAMP(6)";
  }

  @Override
  public String plusMillis(String time, String millis) {
    return "(" + time + " + INTERVAL (" + millis + ") * 1000 MICROSECOND)";
  }

  @Override
  public String millisUntil(String time) {
    return "TIMESTAMPDIFF(MICROSECOND, " + now() + ", " + time + ") DIV 1000";
  }

  @Override
  public String nextValue(String sequence) {
    throw new UnsupportedOperationException("MySQL has no sequences");
  }

  @Override
  public boolean drawsByRows() {
    return true;
  }

  @Override
  public String drawn() {
    return "SELECT LAST_INSERT_ID(), @@auto_increment_increment";
  }

  /**
   * Another gate every 62.5 ms, the same one every 4 s: so each is left alone for a while, and seen
   * free even if there is always a transaction under way. Read as a constant, before a seq is
   * drawn.
   */
  @Override
  public Optional<String> enterGate(String gates) {
    return Optional.of(
        "(SELECT 1 FROM %1$s WHERE gate_no = (SECOND(%2$s) %% 4) * 16 + MICROSECOND(%2$s) DIV 62500 %3$s)"
            .formatted(gates, now(), keyShareLock()));
  }

  @Override
  public String freeGates(String gates) {
    return "SELECT gate_no FROM " + gates + " " + lockUnlocked();
  }

  /** FOR SHARE is not known to MariaDB. */
  @Override
  public String keyShareLock() {
    return "LOCK IN SHARE MODE";
  }

  @Override
  public String lockUnlocked() {
    return "FOR UPDATE SKIP LOCKED";
  }

  /**
   * A locking read waits for each row that it looks at. By itself, a query for the first row of a
   * lane may be served by the primary key, and wait for other lanes.
   */
  @Override
  public String servedBy(String index) {
    return " FORCE INDEX (" + index + ")";
  }

  /**
   * It locks the entry of an index that it finds a row by, then the row. Who finds the row by its
   * key locks it first, and then the entries that change: the two would be a deadlock.
   */
  @Override
  public String servedByPrimaryKey() {
    return " FORCE INDEX (PRIMARY)";
  }

  @Override
  public boolean findsRowsByLists() {
    return true;
  }

  /** AUTO_INCREMENT wants it. */
  @Override
  public boolean seeksBySeq() {
    return true;
  }

  /** The driver of MariaDB sends batches of INSERTs by a protocol that takes none of these. */
  @Override
  public boolean batchesCopies() {
    return false;
  }

  @Override
  public int maxParameters() {
    return 65_535;
  }

  /**
   * In whole seconds, of which there is at least one. The server closes a session that is silent
   * for longer, and rolls back.
   */
  @Override
  public Optional<String> transactionLimit(Duration limit) {
    return Optional.of(
        "SET SESSION innodb_lock_wait_timeout = %1$d, SESSION wait_timeout = %1$d"
            .formatted(Math.max(1, limit.toSeconds())));
  }

  @Override
  public Optional<String> noTransactionLimit() {
    return Optional.of(
        "SET SESSION innodb_lock_wait_timeout = DEFAULT, SESSION lock_wait_timeout = DEFAULT, SESSION wait_timeout = DEFAULT");
  }

  /** In whole seconds, of which there is at least one. */
  @Override
  public Optional<String> scriptLimit(Duration limit) {
    return Optional.of(
        "SET SESSION lock_wait_timeout = %d".formatted(Math.max(1, limit.toSeconds())));
  }

  @Override
  public boolean wasDoneBefore(SQLException e) {
    return DONE_BEFORE.contains(e.getErrorCode());
  }

  /** A deadlock rolls all of it back, and CREATE TABLE commits it. */
  @Override
  public boolean endsTransactionsUnnoticed() {
    return true;
  }

  /** A deadlock has rolled all of the transaction back, a lock that was not had a statement. */
  @Override
  public boolean isRepeatable(SQLException e) {
    int code = e.getErrorCode();
    return code == DEADLOCK || code == LOCK_WAIT_TIMEOUT || code == RECORD_HAS_CHANGED;
  }

  @Override
  public Optional<String> orUpdate(String setting) {
    return Optional.of("ON DUPLICATE KEY UPDATE " + setting);
  }

  /** MySQL has another word for it, which MariaDB does not know. */
  @Override
  public String inserted(String column) {
    return "VALUES(" + column + ")";
  }

  @Override
  public Kind kindOf(SQLException e) {
    if (CONTENT.contains(e.getErrorCode())) {
      return Kind.CONTENT;
    }
    return UNAVAILABLE.contains(e.getErrorCode()) ? Kind.UNAVAILABLE : super.kindOf(e);
  }

  @Override
  public DatabaseHealth health(
      Connection connection, UnaryOperator<String> names, Duration patience) throws SQLException {
    return MySqlHealth.of(connection, names, patience);
  }
}
