/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A database that the benchmarks run on, and the statements of the harness that differ there. */
public enum DatabaseProduct {
  POSTGRESQL("postgresql", "PostgreSQL", "current_schema()") {
    @Override
    public String empty(String table) {
      return "TRUNCATE " + table + " CASCADE";
    }

    @Override
    public String copy(String table, String as) {
      return "CREATE UNLOGGED TABLE " + as + " AS SELECT * FROM " + table;
    }

    @Override
    public List<String> checkpoint() {
      return List.of("CHECKPOINT");
    }

    @Override
    public List<String> analyze(List<String> tables) {
      return List.of("VACUUM ANALYZE");
    }
  },

  MARIADB("mariadb", "MariaDB", "DATABASE()"),
  MYSQL("mysql", "MySQL", "DATABASE()");

  private final String label;
  private final String title;
  private final String currentSchema;

  DatabaseProduct(String label, String title, String currentSchema) {
    this.label = label;
    this.title = title;
    this.currentSchema = currentSchema;
  }

  /** As it is called on the command line and in JDBC URLs. */
  public String label() {
    return label;
  }

  public String title() {
    return title;
  }

  public static Optional<DatabaseProduct> named(String label) {
    return Arrays.stream(values()).filter(product -> product.label.equals(label)).findFirst();
  }

  /**
   * @throws IllegalArgumentException if it is the URL of none of them
   */
  public static DatabaseProduct of(String url) {
    return Arrays.stream(values())
        .filter(product -> url.startsWith("jdbc:" + product.label + ":"))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("no URL of PostgreSQL, MariaDB or MySQL: " + url));
  }

  /** A query for 1 if there is such a table, else 0. */
  public String hasTable(String table) {
    return "SELECT count(*) FROM information_schema.tables WHERE table_schema = %s AND table_name = '%s'"
        .formatted(currentSchema, table);
  }

  /** Takes all rows out of a table; the numbers of new rows go on from theirs. */
  public String empty(String table) {
    return "DELETE FROM " + table; // TRUNCATE would set the counter back
  }

  /** Copies a table's rows into a new one. */
  public String copy(String table, String as) {
    return "CREATE TABLE " + as + " AS SELECT * FROM " + table;
  }

  /** Brings changed pages to the disk, where the server can be told to. */
  public List<String> checkpoint() {
    return List.of();
  }

  /** Brings the optimizer's statistics up to date. */
  public List<String> analyze(List<String> tables) {
    return List.of("ANALYZE TABLE " + String.join(", ", tables));
  }
}
