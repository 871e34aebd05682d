/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc;

import io.posthorn.jdbc.internal.OracleProblems;
import io.posthorn.spi.StoreException.Kind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Oracle Database 23 and newer, with the character set AL32UTF8. Written from Oracle's documents;
 * it has never been run on a server.
 *
 * @since 0.1
 */
public class OracleDialect extends UtcDialect {
  private static final int GATES = 16;
  private static final String FETCH_FIRST = "FETCH FIRST ";

  /** Deadlock, lock not had at once or in time, snapshot that cannot be written to. */
  private static final Set<Integer> REPEATABLE = Set.of(54, 60, 2049, 4020, 8177, 30006);

  /**
   * Sessions or processes used up, session killed, user locked or expired; server starting or
   * stopping; connection lost or refused by the listener; archiver stuck, no space; read-only after
   * a failover.
   */
  private static final Set<Integer> UNAVAILABLE =
      Set.of(
          18, 20, 28, 257, 1012, 1017, 1033, 1034, 1089, 1090, 1092, 1536, 1653, 1654, 1688, 1691,
          2391, 3113, 3114, 3135, 12153, 12170, 12502, 12505, 12514, 12516, 12518, 12519, 12520,
          12528, 12537, 12541, 12543, 12545, 12547, 12560, 12571, 16000, 16456, 17002, 17008, 17410,
          25402, 25408, 28000, 28001, 30036);

  /** A value that does not fit its column, or is of another type. */
  private static final Set<Integer> CONTENT = Set.of(1401, 1438, 1461, 12899);

  @Override
  public String name() {
    return "oracle";
  }

  @Override
  public boolean speaks(String productName) {
    return productName.equals("Oracle");
  }

  @Override
  public List<String> problems(Connection connection, String sequence) throws SQLException {
    return OracleProblems.of(connection);
  }

  @Override
  public String now() {
    return "SYS_EXTRACT_UTC(SYSTIMESTAMP)";
  }

  @Override
  public String plusMillis(String time, String millis) {
    return "(" + time + " + NUMTODSINTERVAL((" + millis + ") / 1000, 'SECOND'))";
  }

  /** The difference of two times is an interval, which has no length of its own. */
  @Override
  public String millisUntil(String time) {
    String left = "(" + time + " - " + now() + ")";
    return "TRUNC((EXTRACT(DAY FROM %1$s) * 86400 + EXTRACT(HOUR FROM %1$s) * 3600 + EXTRACT(MINUTE FROM %1$s) * 60 + EXTRACT(SECOND FROM %1$s)) * 1000)"
        .formatted(left);
  }

  /** No bytes would be bound as NULL, which is a tombstone. */
  @Override
  public void bindPayload(PreparedStatement statement, int parameter, byte @Nullable [] payload)
      throws SQLException {
    if (payload != null && payload.length == 0) {
      statement.setBlob(parameter, statement.getConnection().createBlob());
    } else {
      super.bindPayload(statement, parameter, payload);
    }
  }

  @Override
  public String nextValue(String sequence) {
    return sequence + ".NEXTVAL";
  }

  /** ORA-02287. */
  @Override
  public boolean drawsInQueries() {
    return false;
  }

  /** A default may be drawn once for a statement that inserts several rows. */
  @Override
  public boolean drawsForManyRows() {
    return false;
  }

  /** Rows can be locked exclusively only, so settles of one relay wait for each other. */
  @Override
  public String keyShareLock() {
    return "FOR UPDATE";
  }

  @Override
  public String lockUnlocked() {
    return "FOR UPDATE SKIP LOCKED";
  }

  /** ORA-02014: rows of a query with a limit cannot be locked, but rows that it has found can. */
  @Override
  public String lockingQuery(String columns, String table, String rest, String lock) {
    return rest.contains(FETCH_FIRST)
        ? "SELECT %1$s FROM %2$s WHERE rowid IN (SELECT rowid FROM %2$s %3$s) %4$s"
            .formatted(columns, table, rest, lock)
        : super.lockingQuery(columns, table, rest, lock);
  }

  /**
   * Locks on rows cannot be shared, but one on a table can: each gate is a table. Another one every
   * 250 ms, the same one every 4 s.
   */
  @Override
  public Optional<String> enterGateBefore(String gates) {
    return Optional.of(
        "BEGIN EXECUTE IMMEDIATE 'LOCK TABLE %s_' || MOD(TRUNC(EXTRACT(SECOND FROM SYSTIMESTAMP) * 4), %d) || ' IN ROW SHARE MODE'; END;"
            .formatted(gates, GATES));
  }

  @Override
  public int gates() {
    return GATES;
  }

  /**
   * Locks each gate for a moment, in a transaction of its own, within one round trip: ORA-00054
   * says that somebody is in it.
   */
  @Override
  public String freeGates(String gates) {
    return """
        WITH FUNCTION is_free(gate IN NUMBER) RETURN NUMBER IS
          PRAGMA AUTONOMOUS_TRANSACTION;
        BEGIN
          EXECUTE IMMEDIATE 'LOCK TABLE %1$s_' || gate || ' IN EXCLUSIVE MODE NOWAIT';
          ROLLBACK;
          RETURN 1;
        EXCEPTION
          WHEN OTHERS THEN
            ROLLBACK;
            IF SQLCODE = -54 THEN
              RETURN 0;
            END IF;
            RAISE;
        END;
        SELECT gate_no FROM %1$s WHERE is_free(gate_no) = 1
        """
        .formatted(gates);
  }

  @Override
  public String rowAfter(int others) {
    return "OFFSET " + others + " ROWS FETCH NEXT 1 ROWS ONLY";
  }

  @Override
  public String firstRows(String count) {
    return FETCH_FIRST + count + " ROWS ONLY";
  }

  /** A part of a UNION cannot have an order, but a table in it can. */
  @Override
  public String inUnion(String query) {
    return "SELECT * FROM (" + query + ")";
  }

  @Override
  public String fromNothing() {
    return " FROM dual";
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
    return "DBMS_LOB.GETLENGTH(" + column + ")";
  }

  @Override
  public String largeText(String text) {
    return "TO_CLOB(" + text + ")";
  }

  /** Only for equality. */
  @Override
  public boolean comparesTuples() {
    return false;
  }

  @Override
  public boolean emptyTextIsNull() {
    return true;
  }

  /** Few enough for the lists of older clients, which have 1,000 values at the most. */
  @Override
  public int maxParameters() {
    return 2_000;
  }

  /** A deadlock has rolled one statement back: the store rolls back the rest. */
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
