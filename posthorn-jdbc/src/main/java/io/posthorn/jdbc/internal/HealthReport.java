/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.DatabaseHealth;
import io.posthorn.DatabaseHealth.Finding;
import io.posthorn.DatabaseHealth.Holder;
import io.posthorn.DatabaseHealth.Table;
import io.posthorn.DatabaseHealth.Topic;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Gathers what a database says of its state. A question that it refuses to answer is noted, and the
 * others are asked all the same. Within one transaction.
 */
final class HealthReport {
  /** The tables that can grow, or whose rows change often. */
  static final List<String> TABLES =
      List.of(
          "message",
          "deferred",
          "dead",
          "history",
          "idempotency",
          "deferred_floor",
          "heartbeat",
          "partition");

  private static final long FAR_BEHIND = 1_000_000;

  private final Connection connection;
  private final List<Table> tables = new ArrayList<>();
  private final List<Finding> findings = new ArrayList<>();
  private final List<String> unseen = new ArrayList<>();
  private @Nullable Holder oldest;
  private @Nullable Long historyLength;
  private @Nullable Long floorLag;

  /** What is done with each row of an answer. */
  interface OnRow {
    void read(ResultSet row) throws SQLException;
  }

  HealthReport(Connection connection) {
    this.connection = connection;
  }

  /**
   * Asks a question.
   *
   * @param subject what it is about, in case it is refused
   * @param remedy what lets the user ask it
   */
  void ask(String subject, String remedy, String sql, OnRow onRow) throws SQLException {
    Savepoint before = connection.setSavepoint();
    try (PreparedStatement question = connection.prepareStatement(sql);
        ResultSet rows = question.executeQuery()) {
      while (rows.next()) {
        onRow.read(rows);
      }
    } catch (SQLException e) {
      connection.rollback(before); // fails, too, if the connection is broken
      unseen.add("%s: %s. %s".formatted(subject, StoreFailures.firstLine(e), remedy));
    }
  }

  void add(Table table) {
    tables.add(table);
  }

  List<Table> tables() {
    return List.copyOf(tables);
  }

  void find(Topic topic, String found, String advice) {
    findings.add(new Finding(topic, found, advice));
  }

  void unseen(String what) {
    unseen.add(what);
  }

  /** Keeps the older one; one whose age may not be seen counts as younger. */
  void hold(Holder holder) {
    Holder other = oldest;
    if (other == null || age(holder).compareTo(age(other)) > 0) {
      oldest = holder;
    }
  }

  private static Duration age(Holder holder) {
    Duration age = holder.age();
    return age == null ? Duration.ZERO : age;
  }

  @Nullable Holder oldest() {
    return oldest;
  }

  void historyLength(long transactions) {
    historyLength = transactions;
  }

  /** Asks how far floors are behind. The query is for the lag, or null. */
  void askFloorLag(String remedy, String sql) throws SQLException {
    ask(
        "floor lag",
        remedy,
        sql,
        row -> {
          long lag = row.getLong(1);
          if (!row.wasNull()) {
            floorLag = Math.max(0, lag);
          }
        });
    Long lag = floorLag;
    if (lag != null && lag > FAR_BEHIND) {
      find(
          Topic.FLOOR_LAG,
          "reads begin %d sequence numbers before the last one".formatted(lag),
          "a backlog is long, or a transaction that publishes stays open: see what is ready, and end the oldest transaction");
    }
  }

  /** Settings by their names in lower case, from a query for both. */
  Map<String, String> settings(String sql) throws SQLException {
    Map<String, String> settings = new HashMap<>();
    ask(
        "settings",
        "",
        sql,
        row -> settings.put(row.getString(1).toLowerCase(Locale.ROOT), row.getString(2)));
    return settings;
  }

  /** Finds a setting if it has this value. */
  void findSetting(Map<String, String> settings, String name, String harmful, String why) {
    String value = settings.get(name);
    if (value != null && harmful.equalsIgnoreCase(value)) {
      find(Topic.SETTING, name + " is " + value, why);
    }
  }

  static List<String> fullNames(UnaryOperator<String> names) {
    return TABLES.stream().map(names).toList();
  }

  DatabaseHealth health() {
    return new DatabaseHealth(tables, oldest, historyLength, floorLag, findings, unseen);
  }
}
