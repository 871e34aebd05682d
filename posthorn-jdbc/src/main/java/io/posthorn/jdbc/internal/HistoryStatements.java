/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.Fate;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.Settlement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Keeps delivered messages, one row for each handler, and deletes them by age. */
final class HistoryStatements {
  /** A ready row and a handler that is done with it. */
  private record Kept(int partition, long seq, UUID id, String handler) {}

  private final Dialect dialect;
  private final Copies copies;
  private final IndexedQuery deliverAndKeep;
  private final IndexedQuery keepAllReady;
  private final String keepReady;
  private final String keepDeferred;
  private final String purge;

  /**
   * @param limit a statement that bounds the waits of statements that are their own transaction
   */
  HistoryStatements(Dialect dialect, Tables tables, Optional<String> limit) {
    this.dialect = dialect;
    this.copies = new Copies(dialect);
    String now = dialect.now();
    String columns = "partition_no, seq, " + Rows.ENVELOPE + ", created_at";
    String insert =
        "INSERT INTO %s (%s, handler, delivered_at) SELECT %s, %%s, %s FROM "
            .formatted(tables.history(), columns, columns, now);
    // All are served by the primary keys. The first is one round trip, with the lock on the relay's
    // instance row in the same statement.
    String deliver =
        """
        WITH %s,
             gone AS (%s RETURNING %s),
             kept AS (%s gone JOIN unnest(?::bigint[], ?::text[]) AS k(row_seq, to_handler) ON seq = k.row_seq)
        SELECT count(*) FROM me
        """
            .formatted(
                SettleStatements.lockMe(dialect, tables),
                BulkStatements.delete(tables.message(), ", me"),
                "m." + columns.replace(", ", ", m."),
                insert.formatted("k.to_handler"));
    this.deliverAndKeep = IndexedQuery.byKeys(dialect, deliver, limit);
    this.keepAllReady =
        IndexedQuery.byKeysAmongOthers(
            dialect,
            insert.formatted("k.to_handler")
                + "unnest(?::smallint[], ?::bigint[], ?::uuid[], ?::text[]) AS k(part, row_seq, row_id, to_handler) JOIN %s ON partition_no = k.part AND seq = k.row_seq AND seq >= k.row_seq AND id = k.row_id"
                    .formatted(tables.message()));
    String byKey = " WHERE partition_no = ? AND seq = ? AND id = ?";
    this.keepReady = insert.formatted("?") + tables.message() + byKey;
    this.keepDeferred =
        insert.formatted("handler") + tables.deferred() + byKey + " AND handler = ?";
    // Served by the index on the age, then by the primary key. The sub-select makes the time a
    // constant of the scan.
    String oldest =
        "SELECT seq, handler, delivered_at FROM %s WHERE delivered_at < (SELECT %s%s) ORDER BY delivered_at %s"
            .formatted(
                tables.history(),
                dialect.plusMillis(now, "?"),
                dialect.fromNothing(),
                dialect.firstRows("?"));
    this.purge =
        (dialect.comparesTuples()
                ? "DELETE FROM %1$s WHERE (seq, handler, delivered_at) IN (SELECT * FROM (%2$s) AS oldest)"
                : "DELETE FROM %1$s WHERE EXISTS (SELECT 1 FROM (%2$s) oldest WHERE oldest.seq = %1$s.seq AND oldest.handler = %1$s.handler AND oldest.delivered_at = %1$s.delivered_at)")
            .formatted(tables.history(), oldest);
  }

  /** Deletes delivered rows and keeps them; false, and nothing done, if the relay was expelled. */
  boolean deliverAndKeep(Connection connection, RelayIdentity me, List<Settlement.Ready> rows)
      throws SQLException {
    List<Kept> kept = kept(rows);
    try (PreparedStatement settle = deliverAndKeep.prepare(connection)) {
      settle.setString(1, me.id());
      settle.setLong(2, me.incarnation());
      BulkStatements.bindByPartition(settle, 3, rows);
      BulkStatements.bind(settle, 7, "bigint", kept, Kept::seq);
      BulkStatements.bind(settle, 8, "text", kept, Kept::handler);
      try (ResultSet row = deliverAndKeep.execute(settle)) {
        row.next();
        return row.getLong(1) == 1;
      }
    }
  }

  /** Copies ready rows that the caller deletes; the caller's transaction holds the lock. */
  void keepReady(Connection connection, List<Settlement.Ready> rows) throws SQLException {
    List<Kept> kept = kept(rows);
    if (kept.isEmpty()) {
      return;
    }
    if (dialect.hasArrays()) {
      try (PreparedStatement insert = keepAllReady.prepare(connection)) {
        BulkStatements.bind(insert, 1, "smallint", kept, row -> (short) row.partition());
        BulkStatements.bind(insert, 2, "bigint", kept, Kept::seq);
        BulkStatements.bind(insert, 3, "uuid", kept, Kept::id);
        BulkStatements.bind(insert, 4, "text", kept, Kept::handler);
        insert.execute();
      }
      return;
    }
    try (PreparedStatement insert = connection.prepareStatement(keepReady)) {
      for (Kept row : kept) {
        insert.setString(1, row.handler);
        insert.setInt(2, row.partition);
        insert.setLong(3, row.seq);
        dialect.bindId(insert, 4, row.id);
        copies.add(insert);
      }
      copies.run(insert);
    }
  }

  private static List<Kept> kept(List<Settlement.Ready> rows) {
    List<Kept> kept = new ArrayList<>();
    for (Settlement.Ready row : rows) {
      row.kept()
          .forEach(handler -> kept.add(new Kept(row.partition(), row.seq(), row.id(), handler)));
    }
    return kept;
  }

  /** Copies those of these deferred rows that are to be kept; the caller deletes them. */
  void keepDeferred(Connection connection, List<Settlement.Deferred> rows) throws SQLException {
    List<Settlement.Deferred> kept =
        rows.stream()
            .filter(row -> row.fate() instanceof Fate.Delivered fate && fate.kept())
            .toList();
    if (kept.isEmpty()) {
      return;
    }
    try (PreparedStatement insert = connection.prepareStatement(keepDeferred)) {
      for (Settlement.Deferred row : kept) {
        insert.setInt(1, row.partition());
        insert.setLong(2, row.seq());
        dialect.bindId(insert, 3, row.id());
        insert.setString(4, row.handler());
        copies.add(insert);
      }
      copies.run(insert);
    }
  }

  int purge(Connection connection, Duration olderThan, int limit) throws SQLException {
    try (PreparedStatement delete = connection.prepareStatement(purge)) {
      delete.setLong(1, -olderThan.toMillis());
      delete.setInt(2, limit);
      return delete.executeUpdate();
    }
  }
}
