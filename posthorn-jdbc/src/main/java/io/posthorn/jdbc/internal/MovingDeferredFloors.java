/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.DeferredMessage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the {@link DeferredFloors}, and raises them to the first row that is there. A row that
 * is not visible yet must not be passed: those who insert have the floor's row locked, and are
 * passed over; times that others write, to rows that exist or for delayed messages, are later than
 * a moment after which all who were writing to the table have ended. One relay's reader only.
 */
final class MovingDeferredFloors {
  /** Nothing is read meanwhile; if it takes longer, fewer partitions are tried. */
  private static final Duration MANY_LIMIT = Duration.ofMillis(250);

  private final Dialect dialect;
  private final DeferredFloors floors;
  private final Optional<String> writers;
  private final String now;
  private final String lock;
  private final IndexedQuery raiseOne;
  private final IndexedQuery raiseMany;
  private @Nullable Moment awaited;
  private @Nullable Instant passed;
  private @Nullable Instant lookedAt;

  /** A moment, and those who were writing to the table then and have not ended. */
  private record Moment(Instant time, Set<String> writers) {}

  /**
   * @param limit how long the floors of one partition may take
   */
  MovingDeferredFloors(Dialect dialect, Tables tables, Duration limit) {
    this.dialect = dialect;
    this.floors = new DeferredFloors(dialect, tables);
    this.writers = dialect.publishers(tables.deferred());
    this.now =
        "SELECT " + dialect.plusMillis(dialect.now(), Long.toString(-DeferredFloors.MARGIN_MILLIS));
    // Both are served by the primary key; what comes after the lock sees all that was inserted
    // before it.
    this.lock =
        """
        SELECT f.partition_no, f.handler, l.handler IS NOT NULL FROM %1$s f
          LEFT JOIN (SELECT partition_no, handler FROM %1$s WHERE partition_no = ANY (?::smallint[]) %2$s) l
            ON l.partition_no = f.partition_no AND l.handler = f.handler
         WHERE f.partition_no = ANY (?::smallint[])
        """
            .formatted(tables.deferredFloor(), dialect.lockUnlocked());
    // The first rows are found by the primary key and by the due index. Rows for no handler yet are
    // inserted without a lock, and no lane is read by their seqs. Materialized: each is found once.
    String raise =
        """
        WITH n AS MATERIALIZED (
                SELECT g.partition_no, g.handler,
                       CASE WHEN g.handler = '%3$s' THEN g.seq_floor
                            ELSE COALESCE((SELECT d.seq FROM %2$s d WHERE d.partition_no = g.partition_no AND d.handler = g.handler
                                              AND d.seq >= g.seq_floor ORDER BY d.seq LIMIT 1),
                                          %4$d) END AS seq,
                       LEAST(t.passed, (SELECT d.due_at FROM %2$s d WHERE d.partition_no = g.partition_no AND d.handler = g.handler
                                           AND d.due_at >= g.due_floor ORDER BY d.due_at LIMIT 1)) AS due
                  FROM unnest(?::smallint[], ?::text[]) AS x(part, name)
                  JOIN %1$s g ON g.partition_no = x.part AND g.handler = x.name
                 CROSS JOIN (SELECT ?::timestamptz) AS t(passed))
        UPDATE %1$s f SET seq_floor = n.seq, due_floor = n.due FROM n
         WHERE f.partition_no = n.partition_no AND f.handler = n.handler
           AND (f.seq_floor < n.seq OR f.due_floor < n.due)
        RETURNING f.partition_no
        """
            .formatted(
                tables.deferredFloor(),
                tables.deferred(),
                DeferredMessage.UNDECIDED,
                Long.MAX_VALUE);
    this.raiseOne = new IndexedQuery(dialect, raise, dialect.transactionLimit(limit));
    Duration ofMany = limit.compareTo(MANY_LIMIT) < 0 ? limit : MANY_LIMIT;
    this.raiseMany = new IndexedQuery(dialect, raise, dialect.transactionLimit(ofMany));
  }

  /**
   * The handlers that have rows, by partition. If the database's clock has gone back, rows may be
   * due earlier than the floors say: reads begin at the beginning again.
   */
  Map<Integer, Set<String>> handlers(Connection connection, Collection<Integer> partitions)
      throws SQLException {
    if (partitions.isEmpty()) {
      return Map.of();
    }
    DeferredFloors.Look look = floors.look(connection, partitions);
    Instant before = lookedAt;
    lookedAt = look.time();
    if (writers.isEmpty()
        || (!look.clockWentBack() && (before == null || !look.time().isBefore(before)))) {
      return look.handlers();
    }
    passed = null;
    awaited = null;
    floors.resetTimes(connection, partitions);
    return floors.look(connection, partitions).handlers();
  }

  /**
   * In a transaction that holds the fence.
   *
   * @return the partitions for which it is done; the others are to be asked for again
   */
  Set<Integer> raise(Connection connection, Collection<Integer> partitions) throws SQLException {
    if (writers.isEmpty()) {
      return Set.copyOf(partitions); // nothing is known of others, so reads begin at the beginning
    }
    lookAround(connection, writers.get());
    if (passed == null) {
      return Set.of();
    }
    Set<Integer> done = new HashSet<>(partitions);
    List<DeferredFloors.Place> places = lock(connection, partitions, done);
    IndexedQuery raise = partitions.size() == 1 ? raiseOne : raiseMany;
    try (PreparedStatement update = raise.prepare(connection)) {
      BulkStatements.bind(update, 1, "smallint", places, place -> (short) place.partition());
      BulkStatements.bind(update, 2, "text", places, DeferredFloors.Place::handler);
      dialect.bindTime(update, 3, passed);
      try (ResultSet raised = raise.execute(update)) {
        raised.next();
      }
    }
    return done;
  }

  /** The time first: who writes later has a later one. */
  private void lookAround(Connection connection, String writersNow) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      Instant time;
      try (ResultSet row = statement.executeQuery(now)) {
        row.next();
        time = Rows.instant(dialect, row, 1);
      }
      Set<String> writing = new HashSet<>();
      try (ResultSet rows = statement.executeQuery(writersNow)) {
        while (rows.next()) {
          writing.add(rows.getString(1));
        }
      }
      Moment before = awaited;
      if (before != null) {
        before.writers.retainAll(writing);
      }
      if (writing.isEmpty()) {
        passed = time;
        awaited = null;
      } else if (before == null || before.writers.isEmpty()) {
        passed = before == null ? passed : before.time;
        awaited = new Moment(time, writing);
      }
    }
  }

  /** Locks the floors that nobody else has locked; partitions with others are not done. */
  private List<DeferredFloors.Place> lock(
      Connection connection, Collection<Integer> partitions, Set<Integer> done)
      throws SQLException {
    List<Integer> numbers = List.copyOf(partitions);
    List<DeferredFloors.Place> places = new ArrayList<>();
    try (PreparedStatement select = connection.prepareStatement(lock)) {
      BulkStatements.bind(select, 1, "smallint", numbers, Integer::shortValue);
      BulkStatements.bind(select, 2, "smallint", numbers, Integer::shortValue);
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          if (rows.getBoolean(3)) {
            places.add(new DeferredFloors.Place(rows.getInt(1), rows.getString(2)));
          } else {
            done.remove(rows.getInt(1));
          }
        }
      }
    }
    return places;
  }
}
