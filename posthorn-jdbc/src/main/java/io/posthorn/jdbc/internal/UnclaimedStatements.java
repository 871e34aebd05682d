/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.RelayStore.UnclaimedKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Rows that nobody takes where they are: which kinds of them there are, and making those of a kind
 * due, page by page. All is served by the index for unclaimed rows.
 */
final class UnclaimedStatements {
  private static final int PLACES_PER_STATEMENT = 100;
  private static final String UNCLAIMED = "reason IN ('ELSEWHERE', 'UNCLAIMED')";
  private static final String KIND =
      "partition_no = ? AND reason = ? AND handler = ? AND type = ? AND " + UNCLAIMED;

  /** Sorts before all reasons. Not empty: some databases take that for NULL. */
  private static final String BEFORE_ALL = " ";

  private final Dialect dialect;
  private final TupleOrder order;
  private final String nextKind;
  private final IndexedQuery nextKinds;
  private final IndexedQuery pageEnd;
  private final String makeDue;

  /**
   * @param limit a statement that bounds the waits of transactions
   */
  UnclaimedStatements(Dialect dialect, Tables tables, Optional<String> limit) {
    this.dialect = dialect;
    String table = tables.deferred();
    // One probe for each kind.
    String next =
        "SELECT partition_no, reason, handler, type FROM %s WHERE partition_no = %%s AND %s AND %%s ORDER BY reason, handler, type %s"
            .formatted(table, UNCLAIMED, dialect.firstRows("1"));
    this.order = new TupleOrder(dialect, "reason, handler, type");
    this.nextKind = next.formatted("?", order.behind());
    this.nextKinds =
        new IndexedQuery(
            dialect,
            "SELECT n.* FROM unnest(?::smallint[], ?::text[], ?::text[], ?::text[]) AS s(part, why, who, what) CROSS JOIN LATERAL (%s) n"
                .formatted(
                    next.formatted("s.part", "(reason, handler, type) > (s.why, s.who, s.what)")));
    this.pageEnd =
        new IndexedQuery(
            dialect,
            "SELECT max(seq), count(*) FROM (SELECT seq FROM %s WHERE %s AND seq > ? ORDER BY seq %s) page"
                .formatted(table, KIND, dialect.firstRows("?")),
            dialect.plannedOnce().flatMap(any -> limit)); // which would go on without it
    // Locks the rows that it changes. Handlers that settle find theirs by the primary key, too.
    this.makeDue =
        "UPDATE %s%s SET due_at = %s WHERE %s AND seq > ? AND seq <= ? AND (due_at IS NULL OR due_at > %s)"
            .formatted(table, dialect.servedByPrimaryKey(), dialect.now(), KIND, dialect.now());
  }

  /** A kind, as rows tell it. */
  private record Place(int partition, String reason, String handler, String type) {}

  List<UnclaimedKind> kinds(Connection connection, Collection<Integer> partitions, int most)
      throws SQLException {
    List<UnclaimedKind> found = new ArrayList<>();
    List<Place> last =
        partitions.stream().map(number -> new Place(number, BEFORE_ALL, "", "")).toList();
    for (int round = 0; round < most && !last.isEmpty(); round++) {
      last = dialect.hasArrays() ? next(connection, last) : nextOfEach(connection, last);
      for (Place place : last) {
        found.add(
            new UnclaimedKind(
                place.partition, DeferReason.valueOf(place.reason), place.handler, place.type));
      }
    }
    return found;
  }

  private List<Place> next(Connection connection, List<Place> last) throws SQLException {
    List<Place> next = new ArrayList<>();
    try (PreparedStatement read = nextKinds.prepare(connection)) {
      BulkStatements.bind(read, 1, "smallint", last, place -> (short) place.partition);
      BulkStatements.bind(read, 2, "text", last, Place::reason);
      BulkStatements.bind(read, 3, "text", last, Place::handler);
      BulkStatements.bind(read, 4, "text", last, Place::type);
      try (ResultSet rows = nextKinds.execute(read)) {
        addTo(next, rows);
      }
    }
    return next;
  }

  /** One statement looks into many partitions, since most of them have no such row. */
  private List<Place> nextOfEach(Connection connection, List<Place> last) throws SQLException {
    List<Place> next = new ArrayList<>();
    for (int from = 0; from < last.size(); from += PLACES_PER_STATEMENT) {
      int to = Math.min(last.size(), from + PLACES_PER_STATEMENT);
      addNext(connection, last.subList(from, to), next);
    }
    return next;
  }

  private void addNext(Connection connection, List<Place> last, List<Place> next)
      throws SQLException {
    String query =
        last.size() == 1
            ? nextKind
            : String.join(
                " UNION ALL ", Collections.nCopies(last.size(), dialect.inUnion(nextKind)));
    try (PreparedStatement read = connection.prepareStatement(query)) {
      int i = 1;
      for (Place place : last) {
        read.setInt(i++, place.partition);
        for (Object value : order.values(place.reason, place.handler, place.type)) {
          read.setString(i++, (String) value);
        }
      }
      try (ResultSet rows = read.executeQuery()) {
        addTo(next, rows);
      }
    }
  }

  private static void addTo(List<Place> places, ResultSet rows) throws SQLException {
    while (rows.next()) {
      places.add(
          new Place(rows.getInt(1), rows.getString(2), rows.getString(3), rows.getString(4)));
    }
  }

  /** Makes a page of rows due; returns its last seq, or empty if there are no more. */
  OptionalLong makeDue(Connection connection, UnclaimedKind kind, long afterSeq, int limit)
      throws SQLException {
    long last;
    long found;
    try (PreparedStatement read = pageEnd.prepare(connection)) {
      bind(read, kind, afterSeq);
      read.setInt(6, limit);
      try (ResultSet row = pageEnd.execute(read)) {
        row.next();
        last = row.getLong(1);
        found = row.getLong(2);
      }
    }
    try (PreparedStatement update = connection.prepareStatement(makeDue)) {
      bind(update, kind, afterSeq);
      update.setLong(6, last);
      update.executeUpdate();
    }
    return found < limit ? OptionalLong.empty() : OptionalLong.of(last);
  }

  private static void bind(PreparedStatement statement, UnclaimedKind kind, long afterSeq)
      throws SQLException {
    statement.setInt(1, kind.partition());
    statement.setString(2, kind.reason().name());
    statement.setString(3, kind.handler());
    statement.setString(4, kind.type());
    statement.setLong(5, afterSeq);
  }
}
