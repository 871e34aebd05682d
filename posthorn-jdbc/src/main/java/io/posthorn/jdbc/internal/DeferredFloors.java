/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.RelayStore.SeqRange;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which handlers have, or had, deferred rows in a partition, and where reads of these rows begin:
 * there is no row with a lower seq, and none that is due earlier. So reads do not walk over rows
 * that are dead and can't be vacuumed. Whoever inserts deferred rows registers them before, in the
 * same transaction, which lowers the floor of the seqs if need be; delayed messages need not, since
 * they stand in no lane. Due times are the database's present or later.
 */
final class DeferredFloors {
  /** How far due times stay behind, in case the clock is set back a little, or another server's. */
  static final long MARGIN_MILLIS = 3_000;

  /** One handler's rows in one partition. */
  record Place(int partition, String handler) {}

  private final Dialect dialect;
  private final String register;
  private final String lower;
  private final String insert;
  private final String handlers;
  private final String reset;
  private final String delayed;
  private final IndexedQuery lowerToFound;
  private final IndexedQuery insertMissing;
  private final String insertMissingOf;

  DeferredFloors(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    String floors = tables.deferredFloor();
    // All are served by the primary key. The row stays locked, so that nobody raises the floor.
    this.register =
        """
        INSERT INTO %s AS f (partition_no, handler, seq_floor)
        SELECT * FROM unnest(?::smallint[], ?::text[], ?::bigint[])
        ON CONFLICT (partition_no, handler) DO UPDATE SET seq_floor = EXCLUDED.seq_floor WHERE f.seq_floor > EXCLUDED.seq_floor
        """
            .formatted(floors);
    this.lower =
        "UPDATE %s SET seq_floor = ? WHERE partition_no = ? AND handler = ? AND seq_floor > ?"
            .formatted(floors);
    this.insert =
        "INSERT INTO %1$s (seq_floor, partition_no, handler) SELECT ?, ?, ?%2$s WHERE NOT EXISTS (SELECT 1 FROM %1$s WHERE partition_no = ? AND handler = ?)"
            .formatted(floors, dialect.fromNothing());
    // The first row of each lane has a time, and so has each row that stands in none: one probe of
    // the due index for each handler tells whether it has rows. A floor in the future shows that
    // the clock has gone back.
    this.handlers =
        """
        SELECT t.present, f.partition_no, f.handler, CASE WHEN f.due_floor > t.present THEN 1 ELSE 0 END
          FROM (SELECT %1$s AS present%4$s) t
          LEFT JOIN %2$s f ON f.partition_no %%s
           AND (f.due_floor > t.present OR (
             SELECT d.seq FROM %3$s d WHERE d.partition_no = f.partition_no AND d.handler = f.handler
                AND d.due_at >= f.due_floor ORDER BY d.due_at %5$s) IS NOT NULL)
        """
            .formatted(
                dialect.now(),
                floors,
                tables.deferred(),
                dialect.fromNothing(),
                dialect.firstRows("1"));
    this.reset = "UPDATE %s SET due_floor = DEFAULT WHERE partition_no = ?".formatted(floors);
    this.delayed =
        """
        WITH late AS (%%s RETURNING partition_no, due_at)
        UPDATE %s f SET due_floor = LEAST(f.due_floor, x.due)
          FROM (SELECT partition_no, min(due_at) AS due FROM late WHERE due_at < %s GROUP BY partition_no) x
         WHERE f.partition_no = x.partition_no AND f.handler = '%s'
        """
            .formatted(
                floors,
                dialect.plusMillis(dialect.now(), Long.toString(-MARGIN_MILLIS)),
                DeferredMessage.UNDECIDED);
    // Served by the primary keys and the due index: nothing above the floors is read.
    this.lowerToFound =
        new IndexedQuery(
            dialect,
            """
            UPDATE %1$s f SET seq_floor = LEAST(f.seq_floor, x.seq), due_floor = LEAST(f.due_floor, x.due)
              FROM (SELECT g.partition_no, g.handler,
                           (SELECT d.seq FROM %2$s d WHERE d.partition_no = g.partition_no AND d.handler = g.handler
                               AND d.seq > p.after_seq AND d.seq <= p.last_seq AND d.seq < g.seq_floor ORDER BY d.seq LIMIT 1) AS seq,
                           CASE WHEN p.after_seq = 0 THEN
                             (SELECT d.due_at FROM %2$s d WHERE d.partition_no = g.partition_no AND d.handler = g.handler
                                 AND d.due_at < g.due_floor ORDER BY d.due_at LIMIT 1) END AS due
                      FROM unnest(?::smallint[], ?::bigint[], ?::bigint[]) AS p(part, after_seq, last_seq)
                      JOIN %1$s g ON g.partition_no = p.part) x
             WHERE f.partition_no = x.partition_no AND f.handler = x.handler
               AND (f.seq_floor > x.seq OR f.due_floor > x.due)
            RETURNING f.partition_no
            """
                .formatted(floors, tables.deferred()));
    // Served by the primary keys: one probe between each two handlers that have floors, where there
    // is nothing, dead or alive, unless floors are missing.
    String stray =
        "SELECT d.handler FROM %s d WHERE d.partition_no = k.part AND d.handler > k.known AND %s ORDER BY d.handler LIMIT 1";
    this.insertMissing =
        new IndexedQuery(
            dialect,
            """
            INSERT INTO %1$s (partition_no, handler, seq_floor)
            SELECT k.part, s.handler, 0
              FROM (SELECT p.part, f.handler AS known, LEAD(f.handler) OVER (PARTITION BY p.part ORDER BY f.handler) AS next
                      FROM unnest(?::smallint[]) AS p(part)
                     CROSS JOIN LATERAL (SELECT '' AS handler UNION ALL SELECT handler FROM %1$s WHERE partition_no = p.part) f) k
             CROSS JOIN LATERAL ((%2$s) UNION ALL (%3$s)) s
            ON CONFLICT DO NOTHING
            """
                .formatted(
                    floors,
                    stray.formatted(tables.deferred(), "d.handler < k.next"),
                    stray.formatted(tables.deferred(), "k.next IS NULL")));
    this.insertMissingOf =
        """
        INSERT INTO %1$s (partition_no, handler, seq_floor)
        SELECT DISTINCT d.partition_no, d.handler, 0 FROM %2$s d
         WHERE d.partition_no = ? AND NOT EXISTS (SELECT 1 FROM %1$s f WHERE f.partition_no = d.partition_no AND f.handler = d.handler)
        """
            .formatted(floors, tables.deferred());
  }

  /** An expression for the lowest seq of a handler's rows in a partition. */
  static String seqFloor(Tables tables, String partition, String handler) {
    return floor(tables, "seq_floor", partition, handler);
  }

  /** An expression for the earliest time that a handler's rows in a partition may have. */
  static String dueFloor(Tables tables, String partition, String handler) {
    return floor(tables, "due_floor", partition, handler);
  }

  private static String floor(Tables tables, String column, String partition, String handler) {
    return "(SELECT f.%s FROM %s f WHERE f.partition_no = %s AND f.handler = %s)"
        .formatted(column, tables.deferredFloor(), partition, handler);
  }

  /**
   * The same INSERT of delayed messages; it lowers the floors, and locks them, if messages are
   * given times that have passed.
   */
  String ofDelayed(String insert) {
    return dialect.hasArrays() ? delayed.formatted(insert) : insert;
  }

  /** Where rows are about to be inserted, with the lowest of their seqs. */
  static final class Inserts {
    // In an order that is the same for all who lock.
    private final SortedMap<Place, Long> lowest =
        new TreeMap<>(Comparator.comparingInt(Place::partition).thenComparing(Place::handler));

    void add(int partition, String handler, long seq) {
      lowest.merge(new Place(partition, handler), seq, Math::min);
    }
  }

  void register(Connection connection, Inserts inserts) throws SQLException {
    if (inserts.lowest.isEmpty()) {
      return;
    }
    if (!dialect.hasArrays()) {
      for (Map.Entry<Place, Long> place : inserts.lowest.entrySet()) {
        registerOne(connection, place.getKey(), place.getValue());
      }
      return;
    }
    List<Map.Entry<Place, Long>> places = List.copyOf(inserts.lowest.entrySet());
    try (PreparedStatement statement = connection.prepareStatement(register)) {
      BulkStatements.bind(
          statement, 1, "smallint", places, place -> (short) place.getKey().partition());
      BulkStatements.bind(statement, 2, "text", places, place -> place.getKey().handler());
      BulkStatements.bind(statement, 3, "bigint", places, Map.Entry::getValue);
      statement.executeUpdate();
    }
  }

  private void registerOne(Connection connection, Place place, long seq) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(lower);
        PreparedStatement insertion = connection.prepareStatement(insert)) {
      update.setLong(1, seq);
      update.setInt(2, place.partition);
      update.setString(3, place.handler);
      update.setLong(4, seq);
      update.executeUpdate();
      insertion.setLong(1, seq);
      insertion.setInt(2, place.partition);
      insertion.setString(3, place.handler);
      insertion.setInt(4, place.partition);
      insertion.setString(5, place.handler);
      insertUnlessThere(insertion);
    }
  }

  /**
   * What a look has found.
   *
   * @param time the database's
   * @param handlers those that have rows, by partition
   * @param clockWentBack whether a floor is in the future
   */
  record Look(Instant time, Map<Integer, Set<String>> handlers, boolean clockWentBack) {}

  /** Looks for handlers that have rows in these partitions, of which there is one at least. */
  Look look(Connection connection, Collection<Integer> partitions) throws SQLException {
    String condition =
        dialect.hasArrays()
            ? "= ANY (?::smallint[])"
            : "IN (?" + ", ?".repeat(partitions.size() - 1) + ")";
    IndexedQuery query = new IndexedQuery(dialect, handlers.formatted(condition));
    try (PreparedStatement read = query.prepare(connection)) {
      bind(read, partitions);
      try (ResultSet rows = query.execute(read)) {
        rows.next();
        Instant time = Rows.instant(dialect, rows, 1);
        Map<Integer, Set<String>> found = new HashMap<>();
        boolean clockWentBack = false;
        do {
          String handler = rows.getString(3);
          if (handler != null) {
            found.computeIfAbsent(rows.getInt(2), any -> new TreeSet<>()).add(handler);
            clockWentBack |= rows.getInt(4) == 1;
          }
        } while (rows.next());
        return new Look(time, found, clockWentBack);
      }
    }
  }

  /** Reads of these partitions begin at the earliest time again. */
  void resetTimes(Connection connection, Collection<Integer> partitions) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(reset)) {
      for (int partition : partitions) {
        update.setInt(1, partition);
        update.addBatch();
      }
      update.executeBatch();
    }
  }

  private void bind(PreparedStatement read, Collection<Integer> partitions) throws SQLException {
    if (dialect.hasArrays()) {
      BulkStatements.bind(
          read, 1, "smallint", List.copyOf(partitions), partition -> partition.shortValue());
      return;
    }
    int i = 1;
    for (int partition : partitions) {
      read.setInt(i++, partition);
    }
  }

  private void insertMissing(Connection connection, List<Integer> partitions) throws SQLException {
    if (partitions.isEmpty()) {
      return;
    }
    if (dialect.hasArrays()) {
      try (PreparedStatement insertion = insertMissing.prepare(connection)) {
        BulkStatements.bind(insertion, 1, "smallint", partitions, Integer::shortValue);
        while (insertMissing.update(insertion) > 0) {
          // There may be others next to those that were found.
        }
      }
      return;
    }
    try (PreparedStatement insertion = connection.prepareStatement(insertMissingOf)) {
      for (int partition : partitions) {
        insertion.setInt(1, partition);
        insertUnlessThere(insertion);
      }
    }
  }

  /** Another session may just have inserted it. */
  private static void insertUnlessThere(PreparedStatement insertion) throws SQLException {
    try {
      insertion.executeUpdate();
    } catch (SQLException e) {
      String state = e.getSQLState();
      if (state == null || !state.startsWith("23")) {
        throw e;
      }
    }
  }

  /**
   * Finds rows that were put into the table by other means: lowers the floors that are above them,
   * and inserts those that are missing, as after a restore of some tables only.
   */
  void lowerToFound(Connection connection, List<SeqRange> ranges) throws SQLException {
    insertMissing(
        connection,
        ranges.stream().filter(range -> range.after() == 0).map(SeqRange::partition).toList());
    if (!dialect.hasArrays()) {
      return; // they are never raised
    }
    try (PreparedStatement update = lowerToFound.prepare(connection)) {
      BulkStatements.bind(update, 1, "smallint", ranges, range -> (short) range.partition());
      BulkStatements.bind(update, 2, "bigint", ranges, SeqRange::after);
      BulkStatements.bind(update, 3, "bigint", ranges, SeqRange::last);
      try (ResultSet lowered = lowerToFound.execute(update)) {
        lowered.next();
      }
    }
  }
}
