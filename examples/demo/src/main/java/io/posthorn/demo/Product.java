/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The databases that the demo runs on, and what they say differently. */
enum Product {
  POSTGRESQL(
      List.of(),
      List.of("seq", "incarnation"),
      "SELECT pg_try_advisory_lock(7041776)",
      "COMMENT ON TABLE %s IS '%s'",
      """
      SELECT relname FROM pg_class
       WHERE relname IN (%s) AND pg_table_is_visible(oid)
         AND obj_description(oid, 'pg_class') IS DISTINCT FROM '%s'
      """) {
    @Override
    UUID id(ResultSet row, int column) throws SQLException {
      return row.getObject(column, UUID.class);
    }
  },
  MARIADB(MySql.GATES, List.of(), MySql.LOCK, MySql.MARK, MySql.STRANGERS),
  MYSQL(MySql.GATES, List.of(), MySql.LOCK, MySql.MARK, MySql.STRANGERS);

  /** What MySQL and MariaDB have in common. */
  private static final class MySql {
    static final List<String> GATES = List.of("gate");
    static final String LOCK = "SELECT GET_LOCK('posthorn_demo', 0)";
    static final String MARK = "ALTER TABLE %s COMMENT = '%s'";
    static final String STRANGERS =
        "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name IN (%s) AND table_comment <> '%s'";
  }

  final List<String> moreTables;
  final List<String> sequences;
  final String oneDemoAtATime;
  final String mark;
  final String strangers;

  /**
   * @param moreTables of the outbox
   * @param oneDemoAtATime a query that locks, and is true if that could be done
   * @param mark a statement for a table and a text
   * @param strangers a query for those of some tables that do not have a text
   */
  Product(
      List<String> moreTables,
      List<String> sequences,
      String oneDemoAtATime,
      String mark,
      String strangers) {
    this.moreTables = moreTables;
    this.sequences = sequences;
    this.oneDemoAtATime = oneDemoAtATime;
    this.mark = mark;
    this.strangers = strangers;
  }

  UUID id(ResultSet row, int column) throws SQLException {
    ByteBuffer bytes = ByteBuffer.wrap(row.getBytes(column));
    return new UUID(bytes.getLong(), bytes.getLong());
  }

  /** As it is written on the command line and in URLs. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<Product> ofWord(String word) {
    return Arrays.stream(values()).filter(product -> product.word().equals(word)).findFirst();
  }

  static Optional<Product> ofUrl(String jdbcUrl) {
    return Arrays.stream(values())
        .filter(product -> jdbcUrl.startsWith("jdbc:" + product.word() + ":"))
        .findFirst();
  }

  static String words() {
    return Stream.of(values()).map(Product::word).collect(Collectors.joining(", "));
  }
}
