/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import io.posthorn.benchmarks.subject.DatabaseProduct;
import io.posthorn.benchmarks.subject.Subject;
import io.posthorn.benchmarks.subject.SubjectDatabase;
import io.posthorn.benchmarks.subject.Subjects;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A subject with its database, and the business tables beside it. */
public final class Stage implements AutoCloseable {
  /** Enough for 16 writers and any subject's relay. */
  private static final int CONNECTIONS = 48;

  private static final String INSERT =
      "INSERT INTO business_order (number, customer, amount, note) VALUES (?, ?, ?, ?)";

  private final Subjects kind;
  private final String url;
  private final SubjectDatabase database;
  private final Subject subject;

  private Stage(Subjects kind, String url) {
    this.kind = kind;
    this.url = url;
    this.database = new SubjectDatabase(url, CONNECTIONS);
    this.subject = kind.on(database);
  }

  /** Prepares an empty database, unless another JVM has done so. */
  public static Stage open(Subjects kind, String url) throws Exception {
    Stage stage = join(kind, url);
    if (stage.number(stage.product().hasTable("saved_backlog")) > 0) {
      return stage;
    }
    stage.execute(
        "CREATE TABLE business_order (number bigint PRIMARY KEY, customer varchar(40) NOT NULL, amount integer NOT NULL, note varchar(255) NOT NULL)");
    stage.subject.createTables();
    stage.execute("CREATE TABLE saved_backlog (messages integer NOT NULL)");
    return stage;
  }

  /** Uses a database that another process has prepared. */
  static Stage join(Subjects kind, String url) {
    return new Stage(kind, url);
  }

  DatabaseProduct product() {
    return database.product();
  }

  Subjects kind() {
    return kind;
  }

  String url() {
    return url;
  }

  public Subject subject() {
    return subject;
  }

  /** Takes everything out of the tables. */
  void clear() throws SQLException {
    for (String table : subject.backlogTables()) {
      execute(product().empty(table));
    }
    execute(product().empty("business_order"));
    execute(product().checkpoint());
  }

  /** After a backlog has been filled in: what the server would do in time. */
  void settleDown() throws SQLException {
    execute(product().analyze(subject.backlogTables()));
    execute(product().checkpoint());
  }

  private void execute(List<String> statements) throws SQLException {
    for (String sql : statements) {
      execute(sql);
    }
  }

  static Subject.Business business(long number) {
    return connection -> {
      try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
        insert.setLong(1, number);
        insert.setString(2, "customer-" + number % 1_000);
        insert.setInt(3, (int) (number % 100));
        insert.setString(4, "an order like any other");
        insert.executeUpdate();
      }
    };
  }

  long pending() throws SQLException {
    return (long) number(subject.countPending());
  }

  void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  double number(String sql) throws SQLException {
    return numbers(sql).get(0);
  }

  /** The columns of a query's only row. */
  List<Double> numbers(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      List<Double> numbers = new ArrayList<>();
      for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
        numbers.add(rows.getDouble(column));
      }
      return numbers;
    }
  }

  /** A connection past the pool. */
  Connection connect() throws SQLException {
    return DriverManager.getConnection(url);
  }

  @Override
  public void close() {
    try {
      subject.close();
    } finally {
      database.close();
    }
  }
}
