/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc;

import io.posthorn.DatabaseHealth;
import io.posthorn.spi.StoreException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What one database can do, and how it says it. A subclass of a shipped dialect, or a new one, can
 * be passed to {@link JdbcMessageStore.Builder#dialect}.
 *
 * @since 0.1
 */
public interface Dialect extends SqlSyntax {
  /** The folder of its scripts, and its name in messages: {@code postgresql}. */
  String name();

  /** Whether it speaks to the database with this product name, as the driver reports it. */
  boolean speaks(String productName);

  /**
   * Why an outbox cannot be kept on this server; none if it can. Asked when a store is opened,
   * before tables are created.
   *
   * @param sequence that numbers the messages; may not exist yet
   */
  default List<String> problems(Connection connection, String sequence) throws SQLException {
    return List.of();
  }

  /**
   * What operators should know of this server although an outbox can be kept on it: which promises
   * do not hold there, and what to do. Logged when a store is opened.
   */
  default List<String> warnings(Connection connection) throws SQLException {
    return List.of();
  }

  /** An expression for the present, moving on within a transaction. */
  String now();

  /** An expression for a time some milliseconds after another. */
  String plusMillis(String time, String millis);

  /** An expression for the milliseconds from now until a time, as a whole number. */
  String millisUntil(String time);

  /**
   * An expression that draws the next value of a sequence. Not asked for if {@link #drawsByRows}.
   */
  String nextValue(String sequence);

  /**
   * Whether there are no sequences, so that seqs are drawn by the rows of the ready table itself:
   * its column for them fills itself. One that is wanted for another table is drawn by a row that
   * is taken back to a savepoint.
   */
  default boolean drawsByRows() {
    return false;
  }

  /**
   * A query for two numbers: the first seq that the last INSERT has drawn, and the step. Not asked
   * for if INSERTs {@linkplain #returnsDrawn return} them.
   */
  default String drawn() {
    throw new UnsupportedOperationException(name() + " has sequences");
  }

  /**
   * What stands before the VALUES of an INSERT into the ready table to make it return partition and
   * seq of its rows. For databases that {@linkplain #drawsByRows draw by rows} whose numbers do not
   * follow each other at equal steps.
   */
  default Optional<String> returnsDrawn() {
    return Optional.empty();
  }

  /** Whether {@link #nextValue} can be part of a sub-select. */
  default boolean drawsInQueries() {
    return !drawsByRows();
  }

  /**
   * Whether one INSERT of many rows draws a seq for each of them. Else they are sent as a batch.
   */
  default boolean drawsForManyRows() {
    return true;
  }

  /**
   * What keeps the row of a query from being deleted, together with others that do the same where
   * the database can. Nobody updates the row. Where it stands, {@link #lockingQuery} tells.
   */
  String keyShareLock();

  /** What locks the rows of a query, leaving out those that are locked. */
  String lockUnlocked();

  /**
   * Whether arrays can be bound, unnested and joined laterally, and a DELETE can be part of a
   * SELECT.
   */
  boolean hasArrays();

  /**
   * The column that says where a row lies, as text that {@link #rowPlaces} takes. A row that is
   * never updated stays there, but for what rewrites its table; then another one may be there.
   * Asked for if there are arrays.
   */
  default String rowPlace() {
    return "NULL";
  }

  /**
   * A condition on the rows of a table that lie at certain places: has a parameter, an array of
   * texts. Empty if rows are not found by it.
   */
  default Optional<String> rowPlaces(String table) {
    return Optional.empty();
  }

  /**
   * Whether one statement can name many rows by their keys, partition by partition, and be served
   * by the primary key; and whether several such queries can be joined by UNION ALL, each with an
   * order and a limit. For databases without arrays.
   */
  default boolean findsRowsByLists() {
    return false;
  }

  /**
   * Whether a query that shows a transaction's rows also shows those of all who had committed
   * before that transaction wrote them. Else reads look a second time.
   */
  default boolean showsCommitsInOrder() {
    return true;
  }

  /**
   * A query for three whole numbers: the oldest transaction that still runs for the statement's own
   * snapshot, the last value drawn from a sequence, and, drawn after it, the number of the
   * statement's own transaction, or any that those who had drawn up to that value are below or at.
   * The last one is null if the query's one parameter is false. Empty if the database does not
   * tell.
   */
  default Optional<String> horizon(String sequence) {
    return Optional.empty();
  }

  /**
   * A query that sets a sequence to its second parameter unless the last value drawn from it is at
   * least its first one, and has a row if it did. Asked for only where there is a {@link #horizon}.
   */
  default Optional<String> raise(String sequence) {
    return Optional.empty();
  }

  /**
   * An expression that is 1, and locks a row of the table of gates to the end of the transaction:
   * one that is chosen by the time, together with others that do the same. For databases that do
   * not tell of transactions, but of locks. Empty if it is not needed.
   */
  default Optional<String> enterGate(String gates) {
    return Optional.empty();
  }

  /**
   * The same as a statement of its own, which is run before those that draw. For databases that can
   * share no lock on a row, but one on a table.
   */
  default Optional<String> enterGateBefore(String gates) {
    return Optional.empty();
  }

  /** How many gates there are, 64 at the most. */
  default int gates() {
    return 64;
  }

  /**
   * A query for the numbers of those gates that nobody is in; it waits for nobody. For databases
   * with {@link #enterGate} or {@link #enterGateBefore}.
   */
  default String freeGates(String gates) {
    throw new UnsupportedOperationException(name() + " has no gates");
  }

  /**
   * A query for the names of the transactions that have written to a table and not ended, prepared
   * ones included; a name is never given twice. Empty if the database does not tell.
   */
  default Optional<String> publishers(String table) {
    return Optional.empty();
  }

  /**
   * Two expressions for whole numbers: one that differs between servers and between the starts of a
   * server, and the end of the server's log. Empty if the database does not tell. A server that
   * lacks the functions is used without them.
   */
  default Optional<String> serverRun() {
    return Optional.empty();
  }

  /**
   * A query for two whole numbers: one that is another one after each failover, and where the log
   * ended when the server was started, or a later end. For databases with a {@link #serverRun}.
   */
  default Optional<String> serverPast() {
    return Optional.empty();
  }

  /** Binds a time to the parameter of a column for times. */
  default void bindTime(PreparedStatement statement, int parameter, Instant time)
      throws SQLException {
    statement.setObject(parameter, time.atOffset(ZoneOffset.UTC));
  }

  /** The time in a column; null if there is none. */
  default @Nullable Instant time(ResultSet row, int column) throws SQLException {
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }

  /** The type, of {@link java.sql.Types}, by which no time is bound. */
  default int timeType() {
    return Types.TIMESTAMP_WITH_TIMEZONE;
  }

  /** Binds a payload; null is not the same as no bytes. */
  default void bindPayload(PreparedStatement statement, int parameter, byte @Nullable [] payload)
      throws SQLException {
    statement.setBytes(parameter, payload);
  }

  /** Binds the id of a message. */
  default void bindId(PreparedStatement statement, int parameter, UUID id) throws SQLException {
    statement.setObject(parameter, id);
  }

  /** The id of a message in a column. */
  default UUID id(ResultSet row, int column) throws SQLException {
    return row.getObject(column, UUID.class);
  }

  /**
   * A statement that brings many rows, and is run again and again on its connection: the driver may
   * prepare it at once.
   */
  default void prepareAtOnce(PreparedStatement statement) throws SQLException {}

  /**
   * Expressions for a SELECT by which the statements after it, in the same transaction, are planned
   * once; empty if there are none. Such a SELECT is sent together with them, divided by a
   * semicolon.
   */
  default Optional<String> plannedOnce() {
    return Optional.empty();
  }

  /**
   * The same, by which they walk over an index from one place on, however small the planner takes
   * the table to be.
   *
   * @param only false for what undoes it
   */
  default Optional<String> orderedScans(boolean only) {
    return Optional.empty();
  }

  /**
   * The same, by which they look up by its key each row that they join with a list.
   *
   * @param only false for what undoes it
   */
  default Optional<String> keyLookups(boolean only) {
    return Optional.empty();
  }

  /**
   * What follows the name of a table in a query that locks rows, so that it is served by this
   * index; empty where the database does not wait for rows that it walks over and does not return.
   */
  default String servedBy(String index) {
    return "";
  }

  /**
   * The same expression, for the first column of an INSERT, so that the transaction has a number
   * before the row's seq is drawn. Only for databases with a {@link #horizon}.
   */
  default String numbered(String expression) {
    return expression;
  }

  /**
   * What follows an INSERT to make it pass over a row whose key exists, once a concurrent writer of
   * that key has ended; empty if there is nothing such, but a failed INSERT leaves the transaction
   * as it was.
   */
  default Optional<String> passOverExisting() {
    return Optional.empty();
  }

  /** Whether an INSERT with a SELECT can be part of a batch. */
  default boolean batchesCopies() {
    return true;
  }

  /** How many parameters a statement can have. */
  int maxParameters();

  /** Whether tables are created without being asked for. */
  boolean createsTablesByDefault();

  /**
   * A query for a text that tells a table from all others, on any server, and is another one when
   * the table was created anew or the server was restored to an earlier time. Empty if the database
   * does not tell.
   */
  default Optional<String> identity(String table) {
    return Optional.empty();
  }

  /**
   * Whether the database may end a transaction and go on in a new one, so that who ignores the
   * error does not notice. A savepoint tells, or a {@link #transactionNumber}.
   */
  default boolean endsTransactionsUnnoticed() {
    return false;
  }

  /**
   * The text of a script; by default what is found on the class path of the dialect. Empty if there
   * is none.
   *
   * @param path {@code io/posthorn/jdbc/postgresql/V1__create_outbox.sql}
   */
  default Optional<String> script(String path) {
    try (InputStream in = getClass().getClassLoader().getResourceAsStream(path)) {
      return in == null
          ? Optional.empty()
          : Optional.of(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * A query for a whole number that no other transaction has; it begins one if there is none. For
   * databases whose savepoints cannot be released.
   */
  default Optional<String> transactionNumber() {
    return Optional.empty();
  }

  /**
   * A statement that makes concurrent creators of the tables wait for each other; empty if there is
   * none. The database ends the wait, or the lock, with the transaction.
   */
  default Optional<String> creationLock() {
    return Optional.empty();
  }

  /**
   * A statement that bounds, for the transaction it is run in, how long the database waits for
   * locks and for the client; empty if it can't.
   */
  default Optional<String> transactionLimit(Duration limit) {
    return Optional.empty();
  }

  /**
   * The same, for a transaction that may be lost if the server crashes: its commit waits neither
   * for the disk nor for a standby, if the database can do that.
   */
  default Optional<String> nonDurableTransactionLimit(Duration limit) {
    return transactionLimit(limit);
  }

  /** A statement that undoes it, if it does not end with the transaction. */
  default Optional<String> noTransactionLimit() {
    return Optional.empty();
  }

  /**
   * A statement that bounds, for the transaction it is run in, how long it waits for locks on
   * tables, and nothing else: scripts give way to publishers and are run again. {@link
   * #noTransactionLimit} undoes it. Empty if such waits are short anyway.
   */
  default Optional<String> scriptLimit(Duration limit) {
    return Optional.empty();
  }

  /** Whether a script failed because others use its tables, so that it is run again. */
  default boolean tablesWereInUse(SQLException e) {
    return isRepeatable(e);
  }

  /**
   * Whether a statement of a script failed because an earlier, interrupted run has done the same.
   * For databases that commit each statement by itself and have no IF NOT EXISTS for all of them.
   */
  default boolean wasDoneBefore(SQLException e) {
    return false;
  }

  /** Whether a transaction that failed so may be run again, since others were in its way. */
  default boolean isRepeatable(SQLException e) {
    return false;
  }

  /**
   * What follows an INSERT to make it set columns of the row whose key exists, once a concurrent
   * writer of that key has ended; empty if {@link #passOverExisting} does what is wanted.
   *
   * @param setting assignments, in which the new row's columns are written by {@link #inserted}
   */
  default Optional<String> orUpdate(String setting) {
    return Optional.empty();
  }

  /** The value that the INSERT has for a column, in {@link #orUpdate}. */
  default String inserted(String column) {
    return column;
  }

  /**
   * What a failure says, judged by this exception alone. If it has no SQLSTATE and says nothing,
   * {@link Kind#UNKNOWN}: then its next exceptions and causes are asked.
   *
   * <p>Unavailable are classes 08 (connection) and 53 (resources), 57P0x (shutdown, recovery) and
   * the connection exceptions of JDBC. Of the content are classes 22 (data) and 23 (constraints),
   * 25P02 (the transaction is aborted) and 40002 (a constraint that was checked at the commit).
   */
  default Kind kindOf(SQLException e) {
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    if (state.startsWith("08") || state.startsWith("53") || state.startsWith("57P0")) {
      return Kind.UNAVAILABLE;
    }
    if (state.startsWith("22") || state.startsWith("23")) {
      return Kind.CONTENT;
    }
    if (state.equals("25P02") || state.equals("40002")) {
      return Kind.CONTENT;
    }
    return e instanceof SQLTransientConnectionException
            || e instanceof SQLNonTransientConnectionException
            || e instanceof SQLRecoverableException
        ? Kind.UNAVAILABLE
        : Kind.UNKNOWN;
  }

  /**
   * The state of the database, as far as it concerns an outbox. What the user may not see is said
   * in it, not thrown.
   *
   * @param names the full name of a table or sequence that the scripts call {@code outbox_message},
   *     for {@code message}
   * @param patience transactions that have been open for longer are findings
   */
  default DatabaseHealth health(
      Connection connection, UnaryOperator<String> names, Duration patience) throws SQLException {
    return new DatabaseHealth(
        List.of(), null, null, null, List.of(), List.of(name() + " is not asked about its state"));
  }

  /** Whether it has LISTEN and NOTIFY, and the driver of PostgreSQL. */
  default boolean hasNotifications() {
    return false;
  }

  /** Whether a session can be named by the client info {@code ApplicationName}. */
  default boolean namesSessions() {
    return false;
  }
}
