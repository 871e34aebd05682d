/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc;

/**
 * How a database writes what all of them can do. The answers given here are those of PostgreSQL, H2
 * and MySQL.
 *
 * @since 0.1
 */
public interface SqlSyntax {
  /** What ends a query, behind its ORDER BY, to leave out all but the first rows. */
  default String firstRows(String count) {
    return "LIMIT " + count;
  }

  /** What ends a query, behind its ORDER BY, to return only the row after so many others. */
  default String rowAfter(int others) {
    return "LIMIT 1 OFFSET " + others;
  }

  /** A query with an order and a limit, as part of a UNION ALL. */
  default String inUnion(String query) {
    return "(" + query + ")";
  }

  /** What follows the expressions of a SELECT without a table: {@code " FROM dual"}, or nothing. */
  default String fromNothing() {
    return "";
  }

  /** A truth as it is stored in a column, and compared with one. */
  default String literal(boolean truth) {
    return truth ? "TRUE" : "FALSE";
  }

  /** A condition as the value of a column that stores truths. */
  default String value(String condition) {
    return "(" + condition + ")";
  }

  /** An expression for the length of a column in bytes, or in characters if it is a large text. */
  default String octets(String column) {
    return "octet_length(" + column + ")";
  }

  /** A short text where other rows of the same column have the text of an unbounded column. */
  default String largeText(String text) {
    return text;
  }

  /** The characters that LIKE does not take literally. */
  default String wildcards() {
    return "%_";
  }

  /** Whether tuples can be compared: {@code (a, b) > (1, 2)}. */
  default boolean comparesTuples() {
    return true;
  }

  /** Whether the empty text is stored as NULL. */
  default boolean emptyTextIsNull() {
    return false;
  }

  /** What locks the rows of a query, and waits for those that are locked. */
  default String lockRows() {
    return "FOR UPDATE";
  }

  /**
   * A query that locks the rows it returns.
   *
   * @param table its only table, with an alias and {@link Dialect#servedBy} if need be
   * @param rest what follows the table: a condition, an order, and a limit if it has one
   * @param lock {@link #lockRows}, {@link Dialect#keyShareLock} or {@link Dialect#lockUnlocked}
   */
  default String lockingQuery(String columns, String table, String rest, String lock) {
    return "SELECT %s FROM %s %s %s".formatted(columns, table, rest, lock);
  }

  /** A statement that sets a savepoint, in a transaction that may not have begun. */
  default String savepoint(String name) {
    return "SAVEPOINT " + name;
  }

  /** A statement that rolls back to a savepoint. */
  default String rollBackTo(String name) {
    return "ROLLBACK TO SAVEPOINT " + name;
  }
}
