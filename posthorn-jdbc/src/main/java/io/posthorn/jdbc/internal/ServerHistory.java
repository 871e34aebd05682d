/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Notices that the database may have lost commits that were seen: another server has taken over, or
 * this one was started with less of its log than there had been. One thread only, unless it says
 * otherwise.
 *
 * <p>A server that was started on an older copy of its files is noticed as long as it has made no
 * further checkpoint before it is asked.
 */
final class ServerHistory {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.relay");
  private static final String NOT_TOLD = "0, 0";

  private final Dialect dialect;
  private @Nullable Run last; // null until the server has told
  private volatile long runInUse; // of which the relay has taken a read; 0 if none has told
  private long timeline;
  private long number = 1;

  /**
   * A server as a read found it.
   *
   * @param started differs between servers, and between the starts of a server; 0 if it is not told
   * @param logEnd how far its log went
   */
  record Run(long started, long logEnd) {}

  /** What is told of a server's past. */
  private record Past(long timeline, long logEndAtStart) {}

  ServerHistory(Dialect dialect) {
    this.dialect = dialect;
  }

  /** What a read asks for: the columns of a {@link Run}. */
  String columns(Connection connection) throws SQLException {
    String columns = dialect.serverRun().orElse(NOT_TOLD);
    try {
      query(connection, "SELECT " + columns);
      past(connection);
      return columns;
    } catch (SQLException e) {
      if (new StoreFailures(dialect).kindOf(e) == StoreException.Kind.UNAVAILABLE) {
        throw e;
      }
      LOGGER.log(
          Level.INFO,
          "whether a failover has lost commits is seen by the sequence only: the database does not tell more ("
              + StoreFailures.firstLine(e)
              + ")");
      return NOT_TOLD;
    }
  }

  /** A read begins: what the one before it told has been taken, or given up. */
  void readBegins() {
    Run before = last;
    runInUse = before == null ? 0 : before.started;
  }

  /**
   * Whether this is the server, and the run of it, that the relay knows from its reads. What is
   * known of another one must not be stored here. Any thread.
   */
  boolean isInUse(Connection connection) throws SQLException {
    long known = runInUse;
    return known == 0
        || query(connection, "SELECT " + dialect.serverRun().orElse(NOT_TOLD))[0] == known;
  }

  /** The server with the number of the history that it has, from 1 on. */
  ReadResult.Server serverOf(Connection connection, Run run) throws SQLException {
    if (run.started == 0) {
      return ReadResult.Server.UNKNOWN;
    }
    Run before = last;
    if (before == null || before.started != run.started) {
      Past past = past(connection);
      boolean lost =
          before != null && (past.timeline != timeline || past.logEndAtStart < before.logEnd);
      number += lost ? 1 : 0;
      timeline = past.timeline;
    }
    last = run;
    return new ReadResult.Server(number, run.started);
  }

  private Past past(Connection connection) throws SQLException {
    String query = dialect.serverPast().orElse("SELECT " + NOT_TOLD);
    long[] told = query(connection, query);
    return new Past(told[0], told[1]);
  }

  private static long[] query(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return new long[] {row.getLong(1), row.getLong(2)};
    }
  }
}
