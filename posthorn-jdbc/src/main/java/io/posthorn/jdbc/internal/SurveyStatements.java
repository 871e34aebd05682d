/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.Admin.Survey;
import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.DeferReason;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Counts what waits. Each count reads rows from one end of a primary key and ends at its limit, so
 * that it costs no more when ten million wait. Locks nothing.
 */
final class SurveyStatements {
  private final Dialect dialect;
  private final DeferredFloors deferredRows;
  private final String moment;
  private final String partitions;
  private final String ready;
  private final String readyOfOne;
  private final String deferred;
  private final String deferredOfOne;
  private final String dead;

  SurveyStatements(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    this.deferredRows = new DeferredFloors(dialect, tables);
    this.moment =
        "SELECT %s, (SELECT count(*) FROM %s i JOIN %s h ON h.id = i.id AND h.incarnation = i.incarnation WHERE h.good_until >= %s)%s"
            .formatted(
                dialect.now(),
                tables.instance(),
                tables.heartbeat(),
                dialect.now(),
                dialect.fromNothing());
    this.partitions = "SELECT partition_no FROM " + tables.partition();
    // Served by the primary key: one range for each partition.
    String firstReady =
        "(SELECT partition_no, type, created_at FROM %s WHERE partition_no = %%s ORDER BY seq %s) r"
            .formatted(tables.message(), dialect.firstRows("?"));
    this.ready =
        "SELECT p.partition_no, r.type, count(*), min(r.created_at) FROM %s p CROSS JOIN LATERAL %s GROUP BY p.partition_no, r.type"
            .formatted(tables.partition(), firstReady.formatted("p.partition_no"));
    this.readyOfOne =
        "SELECT r.partition_no, r.type, count(*), min(r.created_at) FROM %s GROUP BY r.partition_no, r.type"
            .formatted(firstReady.formatted("?"));
    // Served by the primary key: one range for each partition and handler, so that a handler with
    // many rows does not hide the others.
    String firstDeferred =
        "(SELECT partition_no, handler, type, reason FROM %s WHERE partition_no = %%s AND handler = %%s ORDER BY seq %s) d"
            .formatted(tables.deferred(), dialect.firstRows("?"));
    this.deferred =
        "SELECT s.part, s.handler_name, d.type, d.reason, count(*) FROM unnest(?::smallint[], ?::text[]) AS s(part, handler_name) CROSS JOIN LATERAL %s GROUP BY s.part, s.handler_name, d.type, d.reason"
            .formatted(firstDeferred.formatted("s.part", "s.handler_name"));
    this.deferredOfOne =
        "SELECT d.partition_no, d.handler, d.type, d.reason, count(*) FROM %s GROUP BY d.partition_no, d.handler, d.type, d.reason"
            .formatted(firstDeferred.formatted("?", "?"));
    // Served by the primary key, from its end.
    this.dead =
        "SELECT d.handler, d.type, count(*) FROM (SELECT handler, type FROM %s ORDER BY seq DESC, handler DESC %s) d GROUP BY d.handler, d.type"
            .formatted(tables.dead(), dialect.firstRows("?"));
  }

  Survey take(Connection connection, int limit) throws SQLException {
    Count count = new Count(limit);
    List<Integer> all = partitions(connection);
    ready(connection, all, count);
    deferred(connection, all, count);
    dead(connection, Math.multiplyExact((long) limit, all.size()), count);
    try (PreparedStatement read = connection.prepareStatement(moment);
        ResultSet row = read.executeQuery()) {
      row.next();
      return count.survey(Rows.instant(dialect, row, 1), row.getInt(2));
    }
  }

  private List<Integer> partitions(Connection connection) throws SQLException {
    List<Integer> all = new ArrayList<>();
    try (PreparedStatement read = connection.prepareStatement(partitions);
        ResultSet rows = read.executeQuery()) {
      while (rows.next()) {
        all.add(rows.getInt(1));
      }
    }
    return all;
  }

  private void ready(Connection connection, Collection<Integer> all, Count count)
      throws SQLException {
    if (dialect.hasArrays()) {
      IndexedQuery query = new IndexedQuery(dialect, ready);
      try (PreparedStatement read = query.prepare(connection)) {
        read.setInt(1, count.limit);
        count.addReady(query.execute(read));
      }
      return;
    }
    try (PreparedStatement read = connection.prepareStatement(readyOfOne)) {
      for (int partition : all) {
        read.setInt(1, partition);
        read.setInt(2, count.limit);
        count.addReady(read.executeQuery());
      }
    }
  }

  /** A partition and a handler that has rows there. */
  private record Part(int partition, String handler) {}

  private void deferred(Connection connection, Collection<Integer> all, Count count)
      throws SQLException {
    List<Part> parts = new ArrayList<>();
    for (Map.Entry<Integer, Set<String>> found :
        deferredRows.look(connection, all).handlers().entrySet()) {
      found.getValue().forEach(handler -> parts.add(new Part(found.getKey(), handler)));
    }
    if (parts.isEmpty()) {
      return;
    }
    if (dialect.hasArrays()) {
      IndexedQuery query = new IndexedQuery(dialect, deferred);
      try (PreparedStatement read = query.prepare(connection)) {
        BulkStatements.bind(read, 1, "smallint", parts, part -> (short) part.partition);
        BulkStatements.bind(read, 2, "text", parts, Part::handler);
        read.setInt(3, count.limit);
        count.addDeferred(query.execute(read));
      }
      return;
    }
    try (PreparedStatement read = connection.prepareStatement(deferredOfOne)) {
      for (Part part : parts) {
        read.setInt(1, part.partition);
        read.setString(2, part.handler);
        read.setInt(3, count.limit);
        count.addDeferred(read.executeQuery());
      }
    }
  }

  private void dead(Connection connection, long most, Count count) throws SQLException {
    IndexedQuery query = new IndexedQuery(dialect, dead);
    try (PreparedStatement read = query.prepare(connection)) {
      read.setLong(1, most);
      count.addDead(query.execute(read), most);
    }
  }

  /** What was counted so far. */
  private final class Count {
    private final int limit;
    private final List<Survey.Ready> ready = new ArrayList<>();
    private final Map<Part, Long> readOfPart = new HashMap<>();
    private final Map<Waiting, Long> deferred = new TreeMap<>(Waiting.ORDER);
    private final Map<Waiting, Long> dead = new TreeMap<>(Waiting.ORDER);
    private Instant oldest = Instant.MAX;
    private boolean capped;

    private record Waiting(String handler, String type) {
      static final Comparator<Waiting> ORDER =
          Comparator.comparing(Waiting::handler).thenComparing(Waiting::type);
    }

    Count(int limit) {
      this.limit = limit;
    }

    private void read(Part part, long rows) {
      capped |= readOfPart.merge(part, rows, Long::sum) >= limit;
    }

    void addReady(ResultSet found) throws SQLException {
      try (ResultSet rows = found) {
        while (rows.next()) {
          int partition = rows.getInt(1);
          ready.add(new Survey.Ready(partition, rows.getString(2), rows.getLong(3)));
          read(new Part(partition, ""), rows.getLong(3));
          Instant first = Rows.instant(dialect, rows, 4);
          oldest = first.isBefore(oldest) ? first : oldest;
        }
      }
    }

    void addDeferred(ResultSet found) throws SQLException {
      try (ResultSet rows = found) {
        while (rows.next()) {
          String handler = rows.getString(2);
          read(new Part(rows.getInt(1), handler), rows.getLong(5));
          if (!rows.getString(4).equals(DeferReason.BLOCKED.name())) {
            deferred.merge(new Waiting(handler, rows.getString(3)), rows.getLong(5), Long::sum);
          }
        }
      }
    }

    void addDead(ResultSet found, long most) throws SQLException {
      long read = 0;
      try (ResultSet rows = found) {
        while (rows.next()) {
          dead.merge(new Waiting(rows.getString(1), rows.getString(2)), rows.getLong(3), Long::sum);
          read += rows.getLong(3);
        }
      }
      capped |= read >= most;
    }

    Survey survey(Instant now, int instances) {
      ready.sort(
          Comparator.comparingInt(Survey.Ready::partition).thenComparing(Survey.Ready::type));
      Duration age = oldest.isBefore(now) ? Duration.between(oldest, now) : Duration.ZERO;
      return new Survey(now, ready, listed(deferred), listed(dead), age, instances, capped);
    }

    private static List<Survey.Waiting> listed(Map<Waiting, Long> counted) {
      List<Survey.Waiting> listed = new ArrayList<>();
      counted.forEach((key, count) -> listed.add(new Survey.Waiting(key.handler, key.type, count)));
      return listed;
    }
  }
}
