/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import static java.util.regex.Matcher.quoteReplacement;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.Settlement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Stores outcomes. Rows move between tables inside the database; payloads do not travel. All is
 * done under a shared lock on the relay's instance row, which an expulsion deletes.
 */
final class SettleStatements {
  private static final long NO_TIME = -1;

  /**
   * A handler's transaction is done with the row, and has committed; its payload is gone. A relay
   * that did not get to know that may think the delivery failed.
   */
  static final String NOT_SETTLED = " AND reason <> 'SETTLED'";

  /** Rows of one statement that lists them. */
  private static final int MOST_LISTED = 500;

  private final Dialect dialect;
  private final BulkStatements bulk;
  private final DeadStatements dead;
  private final HistoryStatements history;
  private final LaneWake wake;
  private final Copies copies;
  private final DeferredFloors floors;
  private final IndexedQuery deleteDelivered;
  private final Optional<IndexedQuery> deleteWhereTheyLie;
  private final String message;
  private final String deleteReady;
  private final String readyToDeferred;
  private final String updateDeferred;
  private final String deferredToReady;
  private final Optional<String> enterGate;
  private final String deleteDeferred;
  private final String markSettled;

  /**
   * @param limit a statement that bounds the waits of statements that are their own transaction
   */
  SettleStatements(Dialect dialect, Tables tables, Optional<String> limit) {
    this.dialect = dialect;
    this.bulk = new BulkStatements(dialect, tables);
    this.dead = new DeadStatements(dialect, tables);
    this.history = new HistoryStatements(dialect, tables, limit);
    this.wake = new LaneWake(dialect, tables);
    this.copies = new Copies(dialect);
    this.floors = new DeferredFloors(dialect, tables);
    String now = dialect.now();
    String withoutSeq = "partition_no, " + Rows.ENVELOPE + ", created_at";
    String dueAt =
        "CASE WHEN ? >= 0 THEN %s WHEN message_key IS NULL THEN %s END"
            .formatted(dialect.plusMillis(now, "?"), now);
    // Served by the primary key; one round trip, with the lock in the same statement.
    String delete =
        """
        WITH %s, gone AS (%s)
        SELECT count(*) FROM me
        """
            .formatted(lockMe(dialect, tables), BulkStatements.delete(tables.message(), ", me"));
    this.deleteDelivered = IndexedQuery.byKeys(dialect, delete, limit);
    this.deleteWhereTheyLie =
        dialect
            .rowPlaces("m")
            .map(
                places ->
                    "WITH %s %s"
                        .formatted(
                            lockMe(dialect, tables),
                            BulkStatements.deleteAtPlaces(
                                tables.message(), "(SELECT here FROM me) = 1", places)))
            .map(sql -> IndexedQuery.byKeys(dialect, sql, limit));
    String byKey = " WHERE partition_no = ? AND seq = ? AND id = ?";
    this.message = tables.message();
    this.deleteReady = "DELETE FROM " + tables.message() + byKey;
    this.readyToDeferred =
        "INSERT INTO %s (seq, %s, handler, in_lane, reason, attempts, due_at, last_error, deferred_at) SELECT %s, %s, ?, %s, ?, ?, %s, ?, %s FROM %s%s"
            .formatted(
                tables.deferred(),
                withoutSeq,
                new FreeSeq(dialect, tables).inDeferred(tables.message(), "?"),
                withoutSeq,
                inLane(dialect, "?"),
                dueAt,
                now,
                tables.message(),
                byKey);
    String byHandler = byKey + " AND handler = ?";
    this.updateDeferred =
        "UPDATE %s SET deferred_at = CASE WHEN ? = 'UNCLAIMED' AND reason <> 'UNCLAIMED' THEN %s ELSE deferred_at END, reason = ?, attempts = ?, due_at = %s, last_error = ?, in_lane = %s%s%s"
            .formatted(
                tables.deferred(),
                now,
                dueAt,
                dialect.value("in_lane = %s AND ? = 0".formatted(dialect.literal(true))),
                byHandler,
                NOT_SETTLED);
    this.deferredToReady =
        "INSERT INTO %s (%s) SELECT %s FROM %s%s"
            .formatted(
                tables.message(),
                withoutSeq,
                dialect
                    .enterGate(tables.gate())
                    .map(gate -> "CASE WHEN " + gate + " = 1 THEN partition_no END, ")
                    .map(
                        first -> withoutSeq.replaceFirst("partition_no, ", quoteReplacement(first)))
                    .orElse(withoutSeq),
                tables.deferred(),
                byHandler);
    this.enterGate = dialect.enterGateBefore(tables.gate());
    this.deleteDeferred = "DELETE FROM " + tables.deferred() + byHandler;
    this.markSettled =
        "UPDATE %s SET reason = 'SETTLED', payload = NULL, headers = NULL, due_at = %s%s%s"
            .formatted(tables.deferred(), now, byHandler, NOT_SETTLED);
  }

  /** A CTE with one row, locked, if the relay is still one. */
  static String lockMe(Dialect dialect, Tables tables) {
    return "me AS (SELECT 1 AS here FROM %s WHERE id = ? AND incarnation = ? %s)"
        .formatted(tables.instance(), dialect.keyShareLock());
  }

  /** Whether a row stands in a lane: it has a key, and nobody may pass it. */
  static String inLane(Dialect dialect, String passed) {
    return dialect.value("message_key IS NOT NULL AND " + passed + " = 0");
  }

  /** Whether the outcomes fit into the one statement of {@link #deleteDelivered}. */
  boolean fitsOneStatement(Settlement settlement) {
    return dialect.hasArrays()
        && settlement.deferred().isEmpty()
        && settlement.ready().stream().allMatch(row -> row.leftovers().isEmpty());
  }

  /** Deletes delivered rows; false, and nothing deleted, if the relay has been expelled. */
  boolean deleteDelivered(Connection connection, RelayIdentity me, List<Settlement.Ready> delivered)
      throws SQLException {
    if (delivered.stream().anyMatch(row -> !row.kept().isEmpty())) {
      return history.deliverAndKeep(connection, me, delivered);
    }
    if (deleteWhereTheyLie.isPresent()
        && !delivered.isEmpty()
        && delivered.stream().allMatch(row -> row.place() != null)) {
      return deleteWhereTheyLie(deleteWhereTheyLie.get(), connection, me, delivered);
    }
    return deleteByKey(connection, me, delivered);
  }

  /** Costs the server half of what it costs to look them up in the index of the keys. */
  private boolean deleteWhereTheyLie(
      IndexedQuery query, Connection connection, RelayIdentity me, List<Settlement.Ready> delivered)
      throws SQLException {
    try (PreparedStatement delete = query.prepare(connection)) {
      delete.setString(1, me.id());
      delete.setLong(2, me.incarnation());
      BulkStatements.bindPlaces(delete, 3, delivered);
      if (query.update(delete) == delivered.size()) {
        return true;
      }
    }
    // Some have moved or were deleted before, or the relay has been expelled.
    return deleteByKey(connection, me, delivered);
  }

  private boolean deleteByKey(
      Connection connection, RelayIdentity me, List<Settlement.Ready> delivered)
      throws SQLException {
    try (PreparedStatement delete = deleteDelivered.prepare(connection)) {
      delete.setString(1, me.id());
      delete.setLong(2, me.incarnation());
      BulkStatements.bindByPartition(delete, 3, delivered);
      try (ResultSet row = deleteDelivered.execute(delete)) {
        row.next();
        return row.getLong(1) == 1;
      }
    }
  }

  /** Stores all outcomes; the caller's transaction holds the lock. */
  void settle(Connection connection, Settlement settlement) throws SQLException {
    Set<LaneId> lanes = lanes(settlement);
    if (!settlement.deferred().isEmpty()) {
      wake.lockHeads(connection, lanes);
    }
    if (dialect.hasArrays() && settlement.deferred().size() > 1) {
      bulk.lockDeferred(connection, settlement.deferred());
    }
    if (!settlement.ready().isEmpty()) {
      settleReady(connection, settlement.ready());
    }
    if (!settlement.deferred().isEmpty()) {
      settleDeferred(connection, settlement.deferred());
    }
    wake.wake(connection, lanes);
  }

  /** Lanes of which the first row may be another one now, or may have no time. */
  private static Set<LaneId> lanes(Settlement settlement) {
    Set<LaneId> lanes = new LinkedHashSet<>();
    for (Settlement.Ready row : settlement.ready()) {
      for (Settlement.Leftover leftover : row.leftovers()) {
        if (row.key() != null && leftover.fate() instanceof Fate.Deferred) {
          lanes.add(new LaneId(row.partition(), leftover.handler(), row.key()));
        }
      }
    }
    for (Settlement.Deferred row : settlement.deferred()) {
      if (row.key() != null && !row.handler().equals(DeferredMessage.UNDECIDED)) {
        lanes.add(new LaneId(row.partition(), row.handler(), row.key()));
      }
    }
    return lanes;
  }

  /** Stores the outcome of one row that is done with; false if there is no such row. */
  boolean settleOne(Connection connection, Settlement settlement) throws SQLException {
    boolean ready = settlement.deferred().isEmpty();
    history.keepReady(connection, settlement.ready());
    history.keepDeferred(connection, settlement.deferred());
    Set<LaneId> lanes = lanes(settlement);
    boolean blind = !lanes.isEmpty() && seesOnlyItsSnapshot(connection);
    if (!lanes.isEmpty() && !blind) {
      wake.lockHeads(connection, lanes);
    }
    try (PreparedStatement delete =
        connection.prepareStatement(ready ? deleteReady : blind ? markSettled : deleteDeferred)) {
      if (ready) {
        Settlement.Ready row = settlement.ready().get(0);
        bindKey(delete, 1, row.partition(), row.seq(), row.id());
      } else {
        bindKey(delete, 1, settlement.deferred().get(0));
      }
      boolean found = delete.executeUpdate() == 1;
      wake.wake(connection, found && !blind ? lanes : Set.of());
      return found;
    }
  }

  /**
   * Whether a transaction does not see rows that were added to a lane since it began, so that it
   * can't give the next one a time. Then the row stays, and is deleted by the relay.
   */
  private static boolean seesOnlyItsSnapshot(Connection connection) throws SQLException {
    return connection.getTransactionIsolation() > Connection.TRANSACTION_READ_COMMITTED;
  }

  private void settleReady(Connection connection, List<Settlement.Ready> rows) throws SQLException {
    List<BulkStatements.Move> moves = new ArrayList<>();
    List<DeadStatements.Burial> burials = new ArrayList<>();
    DeferredFloors.Inserts inserts = new DeferredFloors.Inserts();
    for (Settlement.Ready row : rows) {
      for (Settlement.Leftover leftover : row.leftovers()) {
        if (leftover.fate() instanceof Fate.Deferred fate) {
          inserts.add(row.partition(), leftover.handler(), row.seq());
          moves.add(new BulkStatements.Move(row, leftover.handler(), fate));
        } else if (leftover.fate() instanceof Fate.Dead fate) {
          if (fate.blocksLane()) {
            inserts.add(row.partition(), leftover.handler(), row.seq());
          }
          burials.add(
              new DeadStatements.Burial(
                  row.partition(), row.seq(), row.id(), leftover.handler(), fate));
        }
      }
    }
    floors.register(connection, inserts);
    dead.buryReady(connection, burials);
    history.keepReady(connection, rows);
    if (dialect.hasArrays()) {
      if (!moves.isEmpty()) {
        bulk.readyToDeferred(connection, moves);
      }
      bulk.deleteReady(connection, rows);
    } else {
      moveOneByOne(connection, moves);
      if (dialect.findsRowsByLists()) {
        deleteListed(connection, rows);
      } else {
        deleteOneByOne(connection, rows);
      }
    }
  }

  private void moveOneByOne(Connection connection, List<BulkStatements.Move> moves)
      throws SQLException {
    try (PreparedStatement toDeferred = connection.prepareStatement(readyToDeferred)) {
      for (BulkStatements.Move move : moves) {
        toDeferred.setString(1, move.handler());
        toDeferred.setString(2, move.handler());
        toDeferred.setInt(3, passed(move.handler(), move.fate()));
        bindDeferred(toDeferred, 4, move.handler(), move.fate());
        bindKey(toDeferred, 9, move.row().partition(), move.row().seq(), move.row().id());
        copies.add(toDeferred);
      }
      copies.run(toDeferred);
    }
  }

  private void deleteListed(Connection connection, List<Settlement.Ready> rows)
      throws SQLException {
    for (int from = 0; from < rows.size(); from += MOST_LISTED) {
      List<Settlement.Ready> some = rows.subList(from, Math.min(rows.size(), from + MOST_LISTED));
      SortedMap<Integer, SortedSet<Long>> seqs = new TreeMap<>();
      for (Settlement.Ready row : some) {
        seqs.computeIfAbsent(row.partition(), any -> new TreeSet<>()).add(row.seq());
      }
      String sql =
          "DELETE FROM %s WHERE (%s) AND id IN (?%s)"
              .formatted(message, listed(seqs), ", ?".repeat(some.size() - 1));
      try (PreparedStatement delete = connection.prepareStatement(sql)) {
        int i = 1;
        for (Settlement.Ready row : some) {
          dialect.bindId(delete, i++, row.id());
        }
        delete.executeUpdate();
      }
    }
  }

  /** Served by the primary key, whose order is that of the locks. */
  private static String listed(SortedMap<Integer, SortedSet<Long>> seqs) {
    return seqs.entrySet().stream()
        .map(
            entry ->
                "(partition_no = %d AND seq IN (%s))"
                    .formatted(
                        entry.getKey(),
                        entry.getValue().stream()
                            .map(String::valueOf)
                            .collect(Collectors.joining(","))))
        .collect(Collectors.joining(" OR "));
  }

  private void deleteOneByOne(Connection connection, List<Settlement.Ready> rows)
      throws SQLException {
    try (PreparedStatement delete = connection.prepareStatement(deleteReady)) {
      for (Settlement.Ready row : rows) {
        bindKey(delete, 1, row.partition(), row.seq(), row.id());
        delete.addBatch();
      }
      delete.executeBatch();
    }
  }

  private void settleDeferred(Connection connection, List<Settlement.Deferred> rows)
      throws SQLException {
    List<Settlement.Deferred> leaving = new ArrayList<>();
    List<Settlement.Deferred> toReady = new ArrayList<>();
    List<DeadStatements.Burial> burials = new ArrayList<>();
    try (PreparedStatement update = connection.prepareStatement(updateDeferred)) {
      for (Settlement.Deferred row : rows) {
        if (row.fate() instanceof Fate.Deferred fate) {
          update.setString(1, fate.reason().name());
          bindDeferred(update, 2, row.handler(), fate);
          update.setInt(7, passed(row.handler(), fate));
          bindKey(update, 8, row);
          update.addBatch();
        } else if (row.fate() instanceof Fate.Dead fate) {
          burials.add(
              new DeadStatements.Burial(row.partition(), row.seq(), row.id(), row.handler(), fate));
        } else {
          leaving.add(row);
        }
        if (row.fate() instanceof Fate.Ready) {
          toReady.add(row);
        }
      }
      update.executeBatch();
    }
    deferredToReady(connection, toReady);
    dead.buryDeferred(connection, burials);
    history.keepDeferred(connection, leaving);
    deleteDeferred(connection, leaving);
  }

  private void deferredToReady(Connection connection, List<Settlement.Deferred> rows)
      throws SQLException {
    if (rows.isEmpty()) {
      return;
    }
    if (dialect.hasArrays()) {
      bulk.deferredToReady(connection, rows);
    } else {
      SqlWork.run(connection, enterGate);
      oneByOne(connection, deferredToReady, rows);
    }
  }

  private void deleteDeferred(Connection connection, List<Settlement.Deferred> rows)
      throws SQLException {
    if (dialect.hasArrays()) {
      bulk.deleteDeferred(connection, rows);
    } else {
      oneByOne(connection, deleteDeferred, rows);
    }
  }

  private void oneByOne(Connection connection, String sql, List<Settlement.Deferred> rows)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (Settlement.Deferred row : rows) {
        bindKey(statement, 1, row);
        copies.add(statement);
      }
      copies.run(statement);
    }
  }

  private static void bindDeferred(
      PreparedStatement statement, int first, String handler, Fate.Deferred fate)
      throws SQLException {
    long millis = dueInMillis(handler, fate);
    statement.setString(first, fate.reason().name());
    statement.setInt(first + 1, fate.attempts());
    statement.setLong(first + 2, millis);
    statement.setLong(first + 3, millis);
    statement.setString(first + 4, fate.error());
  }

  /** Whether the row, though it may have a key, is found by its time only: 1 if so. */
  static int passed(String handler, Fate.Deferred fate) {
    return fate.passed() || handler.equals(DeferredMessage.UNDECIDED) ? 1 : 0;
  }

  static long dueInMillis(String handler, Fate.Deferred fate) {
    Duration dueIn = fate.dueIn();
    if (dueIn == null) {
      return passed(handler, fate) == 1 ? 0 : NO_TIME;
    }
    return dueIn.toMillis();
  }

  private void bindKey(PreparedStatement statement, int first, int partition, long seq, UUID id)
      throws SQLException {
    statement.setInt(first, partition);
    statement.setLong(first + 1, seq);
    dialect.bindId(statement, first + 2, id);
  }

  private void bindKey(PreparedStatement statement, int first, Settlement.Deferred row)
      throws SQLException {
    bindKey(statement, first, row.partition(), row.seq(), row.id());
    statement.setString(first + 3, row.handler());
  }
}
