/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc;

import io.posthorn.jdbc.internal.SqlServerProblems;
import io.posthorn.spi.StoreException.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * SQL Server 2019 and newer, and Azure SQL, in a database with READ_COMMITTED_SNAPSHOT. Written
 * from Microsoft's documents; it has never been run on a server.
 *
 * @since 0.1
 */
public class SqlServerDialect extends UtcDialect {
  private static final String BEGIN =
      "IF @@TRANCOUNT = 0 BEGIN BEGIN TRAN IF @@TRANCOUNT = 2 COMMIT TRAN END ";

  /** Deadlock, lock timeout, row that has changed since the snapshot. */
  private static final Set<Integer> REPEATABLE = Set.of(1205, 1222, 3960);

  /**
   * Log, files or memory used up; no login, no database; database or replica not open, or read
   * only; server stopping, session killed; connection lost; throttled, moved or resized by Azure.
   */
  private static final Set<Integer> UNAVAILABLE =
      Set.of(
          64, 233, 596, 701, 802, 924, 927, 945, 976, 978, 979, 982, 983, 1101, 1105, 3906, 4060,
          4221, 6005, 9002, 10053, 10054, 10060, 10928, 10929, 17142, 17803, 18401, 18456, 40143,
          40166, 40197, 40501, 40540, 40613, 49918, 49919, 49920);

  /** A value that does not fit its column or row, or is missing, or is there already. */
  private static final Set<Integer> CONTENT =
      Set.of(220, 242, 245, 511, 515, 547, 2601, 2627, 2628, 8114, 8115, 8152);

  @Override
  public String name() {
    return "sqlserver";
  }

  @Override
  public boolean speaks(String productName) {
    return productName.equals("Microsoft SQL Server");
  }

  @Override
  public List<String> problems(Connection connection, String sequence) throws SQLException {
    return SqlServerProblems.of(connection);
  }

  @Override
  public String now() {
    return "SYSUTCDATETIME()";
  }

  /** DATEADD takes an integer, which milliseconds fill in 24 days. */
  @Override
  public String plusMillis(String time, String millis) {
    return "(SELECT DATEADD(MILLISECOND, CAST(span.n - span.n / 86400000 * 86400000 AS int), DATEADD(DAY, CAST(span.n / 86400000 AS int), %s)) FROM (SELECT CAST(%s AS bigint) AS n) span)"
        .formatted(time, millis);
  }

  @Override
  public String millisUntil(String time) {
    return "DATEDIFF_BIG(MICROSECOND, " + now() + ", " + time + ") / 1000";
  }

  @Override
  public String nextValue(String sequence) {
    throw new UnsupportedOperationException("SQL Server numbers messages by their rowversion");
  }

  /** The number of a row is its rowversion, which the database draws when it writes the row. */
  @Override
  public boolean drawsByRows() {
    return true;
  }

  @Override
  public Optional<String> returnsDrawn() {
    return Optional.of("OUTPUT inserted.partition_no, CONVERT(bigint, inserted.row_version)");
  }

  /**
   * The lowest rowversion of a transaction that has not ended, and the last one that was drawn,
   * which is the mark and its number in one. Noted first: what is drawn up to it is drawn by those
   * who are running then.
   */
  @Override
  public Optional<String> horizon(String sequence) {
    return Optional.of(
        "DECLARE @last bigint = CONVERT(bigint, @@DBTS); SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()), @last, CASE WHEN ? = 1 THEN @last END");
  }

  /** Shared, to the end of the transaction, whatever its isolation. */
  @Override
  public String keyShareLock() {
    return "WITH (ROWLOCK, REPEATABLEREAD)";
  }

  /**
   * Exclusive, since an update lock is granted beside shared ones. At plain READ COMMITTED a
   * database with row versions takes no READPAST.
   */
  @Override
  public String lockUnlocked() {
    return "WITH (ROWLOCK, XLOCK, READPAST, REPEATABLEREAD)";
  }

  @Override
  public String lockRows() {
    return "WITH (ROWLOCK, UPDLOCK, REPEATABLEREAD)";
  }

  /** Hints follow the name of the table, all in one list. */
  @Override
  public String lockingQuery(String columns, String table, String rest, String lock) {
    String hinted = (table + " " + lock).replace(") WITH (", ", ");
    return "SELECT %s FROM %s %s".formatted(columns, hinted, rest);
  }

  /** A locking read waits for each row that it looks at. */
  @Override
  public String servedBy(String index) {
    return " WITH (INDEX = " + index + ")";
  }

  @Override
  public String rowAfter(int others) {
    return "OFFSET " + others + " ROWS FETCH NEXT 1 ROWS ONLY";
  }

  @Override
  public String firstRows(String count) {
    return "OFFSET 0 ROWS FETCH NEXT " + count + " ROWS ONLY";
  }

  /** A part of a UNION cannot have an order, but a table in it can. */
  @Override
  public String inUnion(String query) {
    return "SELECT * FROM (" + query + ") part";
  }

  @Override
  public String literal(boolean truth) {
    return truth ? "1" : "0";
  }

  @Override
  public String value(String condition) {
    return "CASE WHEN " + condition + " THEN 1 ELSE 0 END";
  }

  @Override
  public String octets(String column) {
    return "DATALENGTH(" + column + ")";
  }

  @Override
  public String wildcards() {
    return "%_[";
  }

  @Override
  public boolean comparesTuples() {
    return false;
  }

  @Override
  public String savepoint(String name) {
    return BEGIN + "SAVE TRAN " + name;
  }

  @Override
  public String rollBackTo(String name) {
    return "ROLLBACK TRAN " + name;
  }

  /** A deadlock rolls all of it back. */
  @Override
  public boolean endsTransactionsUnnoticed() {
    return true;
  }

  @Override
  public Optional<String> transactionNumber() {
    return Optional.of(BEGIN + "SELECT CURRENT_TRANSACTION_ID()");
  }

  /** It takes 2,100, some of which the driver needs. */
  @Override
  public int maxParameters() {
    return 2_000;
  }

  @Override
  public Optional<String> creationLock() {
    return Optional.of(
        BEGIN
            + "EXEC sp_getapplock @Resource = 'posthorn', @LockMode = 'Exclusive', @LockOwner = 'Transaction'");
  }

  /** Waits for locks only: nothing ends a transaction whose client is silent. */
  @Override
  public Optional<String> transactionLimit(Duration limit) {
    return Optional.of("SET LOCK_TIMEOUT " + limit.toMillis());
  }

  @Override
  public Optional<String> noTransactionLimit() {
    return Optional.of("SET LOCK_TIMEOUT -1");
  }

  @Override
  public boolean isRepeatable(SQLException e) {
    return REPEATABLE.contains(e.getErrorCode());
  }

  @Override
  public Kind kindOf(SQLException e) {
    if (CONTENT.contains(e.getErrorCode())) {
      return Kind.CONTENT;
    }
    return UNAVAILABLE.contains(e.getErrorCode()) ? Kind.UNAVAILABLE : super.kindOf(e);
  }
}
