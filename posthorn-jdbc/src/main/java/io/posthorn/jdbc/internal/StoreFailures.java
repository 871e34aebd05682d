/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.StoreException.Kind;
import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Turns what drivers throw into what the engine acts on. Drivers quote rows and URLs, so nothing of
 * theirs gets out but a first line without bytes and passwords, and where it was thrown.
 */
public final class StoreFailures {
  private static final int MOST_CAUSES = 5;
  private static final int MAX_SEEN = 20;
  private static final String GENERAL_ERROR = "HY000";
  private static final Pattern PASSWORD =
      Pattern.compile("(?i)((?:password|passwd|pwd|secret|token)\\s*=\\s*)[^&;\\s\"]*");

  /** {@code //user:password@} and Oracle's {@code :user/password@}. */
  private static final Pattern USER_INFO = Pattern.compile("([/:][^/:@\\s\"]*[:/])[^/:@\\s\"]+@");

  private static final Pattern BYTES = Pattern.compile("(?i)\\b(X')[0-9a-f]+|(\\\\x)[0-9a-f]+");

  private final Dialect dialect;

  StoreFailures(Dialect dialect) {
    this.dialect = dialect;
  }

  StoreException of(String what, SQLException e) {
    if (poolWasExhausted(e)) {
      return StoreException.unavailable(
          what + ": " + Pool.EXHAUSTED + ": " + firstLine(e), scrubbed(e));
    }
    // Batches hide the reason in the next exception.
    SQLException reason = e.getNextException() == null ? e : e.getNextException();
    String text = what + ": " + firstLine(reason) + " (SQLSTATE " + reason.getSQLState() + ")";
    return new StoreException(kindOf(e), text, scrubbed(e));
  }

  /** No connection could be had, whatever the reason; says so if a pool had none left. */
  public static StoreException noConnection(String what, SQLException e, DataSource dataSource) {
    return noConnection(what, e, dataSource, 0);
  }

  /**
   * @param kept how many connections of the pool are kept here, as far as known
   */
  static StoreException noConnection(String what, SQLException e, DataSource dataSource, int kept) {
    String reason = poolWasExhausted(e) ? Pool.exhausted(dataSource, kept) + ": " : "";
    return StoreException.unavailable(what + ": " + reason + firstLine(e), scrubbed(e));
  }

  /**
   * HikariCP gives the reason as the cause if the database was it; Tomcat's pool has an exception
   * of its own, DBCP that of its queue.
   */
  private static boolean poolWasExhausted(SQLException e) {
    return (e instanceof SQLTransientConnectionException
            && e.getCause() == null
            && e.getSQLState() == null)
        || e.getClass().getSimpleName().equals("PoolExhaustedException")
        || e.getCause() instanceof NoSuchElementException;
  }

  /** No connection could be had, whatever the reason. */
  public static StoreException noConnection(String what, SQLException e) {
    return StoreException.unavailable(what + ": " + firstLine(e), scrubbed(e));
  }

  /**
   * What a failure says, whoever has wrapped it. The outermost exception with a SQLSTATE decides,
   * next exceptions before causes; where there is none, a network failure below an exception of the
   * driver. A handler's own I/O failures are none of the database's.
   */
  Kind kindOf(Throwable failure) {
    Deque<Throwable> open = new ArrayDeque<>(List.of(failure));
    boolean ofDatabase = false;
    for (int i = 0; i < MAX_SEEN && !open.isEmpty(); i++) {
      Throwable next = open.remove();
      if (next instanceof StoreException store) {
        return store.kind();
      }
      if (next instanceof SQLException sql) {
        Kind kind = dialect.kindOf(sql);
        if (kind != Kind.UNKNOWN || saysState(sql)) {
          return kind;
        }
        ofDatabase = true;
        addIfAny(open, sql.getNextException());
      } else if (ofDatabase && next instanceof IOException) {
        return Kind.UNAVAILABLE;
      }
      addIfAny(open, next.getCause());
    }
    return Kind.UNKNOWN;
  }

  /** Whether a transaction that failed so may be run again. */
  boolean isRepeatable(SQLException e) {
    SQLException next = e.getNextException();
    return dialect.isRepeatable(e) || (next != null && dialect.isRepeatable(next));
  }

  /** A statement that undoes what bounds a transaction, if there is one. */
  Optional<String> noTransactionLimit() {
    return dialect.noTransactionLimit();
  }

  private static void addIfAny(Deque<Throwable> open, @Nullable Throwable failure) {
    if (failure != null) {
      open.add(failure);
    }
  }

  private static boolean saysState(SQLException e) {
    String state = e.getSQLState();
    return state != null && !state.isBlank() && !state.equals(GENERAL_ERROR);
  }

  /** Only the first line: the others may show the row, and with it the payload. */
  public static String firstLine(SQLException e) {
    String message = e.getMessage();
    if (message == null) {
      return e.getClass().getSimpleName();
    }
    String line = message.lines().findFirst().orElse("");
    line = PASSWORD.matcher(line).replaceAll("$1…");
    line = USER_INFO.matcher(line).replaceAll("$1…@");
    return BYTES
        .matcher(line)
        .replaceAll(found -> Matcher.quoteReplacement(found.group().substring(0, 2) + "…"));
  }

  /** The same failure as it may be logged: class, first line, codes and stack. */
  public static SQLException scrubbed(SQLException e) {
    return scrubbed(e, MOST_CAUSES);
  }

  private static SQLException scrubbed(SQLException e, int causes) {
    SQLException copy =
        new SQLException(
            e.getClass().getName() + ": " + firstLine(e), e.getSQLState(), e.getErrorCode());
    copy.setStackTrace(e.getStackTrace());
    Throwable cause = e.getCause();
    if (cause instanceof SQLException inner && causes > 1) {
      copy.initCause(scrubbed(inner, causes - 1));
    } else if (cause instanceof IOException) {
      copy.initCause(cause);
    }
    return copy;
  }
}
