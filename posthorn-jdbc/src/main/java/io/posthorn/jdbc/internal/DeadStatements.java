/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.Fate;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/**
 * Moves messages to the dead letters. Where a lane is to stay blocked, a marker takes the message's
 * place in the deferred table; it has the message's seq and id, no payload, and is never due. It is
 * not buried itself when an outcome whose answer was lost is stored again. All are served by the
 * primary keys.
 */
final class DeadStatements {
  /** A message that is given up for one handler. */
  record Burial(int partition, long seq, UUID id, String handler, Fate.Dead fate) {}

  private final Dialect dialect;
  private final Copies copies;
  private final String readyToDead;
  private final String readyToMarker;
  private final String deferredToDead;
  private final String deferredToMarker;
  private final String deleteDeferred;

  DeadStatements(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    this.copies = new Copies(dialect);
    String now = dialect.now();
    String never = dialect.plusMillis(now, Long.toString(RetryPolicy.LONGEST_DELAY.toMillis()));
    String others = "partition_no, " + Rows.ENVELOPE + ", created_at";
    String withoutPayload = others.replace(" payload,", " NULL,");
    String byKey = " WHERE partition_no = ? AND seq = ? AND id = ?";
    String byHandler =
        byKey + " AND handler = ?" + LaneMoves.NO_MARKER + SettleStatements.NOT_SETTLED;
    String toDead =
        "INSERT INTO %s (seq, %s, attempts, error, handler, died_at) SELECT %%s, %s, ?, ?, %%s, %s FROM %%s%%s"
            .formatted(tables.dead(), others, others, now);
    FreeSeq free = new FreeSeq(dialect, tables);
    String ready = tables.message();
    String deferred = tables.deferred();
    this.readyToDead = toDead.formatted(free.inDead(ready, "?"), "?", ready, byKey);
    this.deferredToDead =
        toDead.formatted(
            free.inDead(deferred, deferred + ".handler"), "handler", deferred, byHandler);
    this.readyToMarker =
        """
        INSERT INTO %s (seq, %s, in_lane, reason, due_at, deferred_at, attempts, last_error, handler)
        SELECT %s, %s, %s, 'BLOCKED', %s, %s, ?, ?, ? FROM %s%s AND message_key IS NOT NULL
        """
            .formatted(
                deferred,
                others,
                free.inDeferred(ready, "?"),
                withoutPayload,
                dialect.literal(true),
                never,
                now,
                ready,
                byKey);
    this.deferredToMarker =
        "UPDATE %s SET reason = 'BLOCKED', payload = NULL, due_at = %s, attempts = ?, last_error = ?%s AND in_lane = %s"
            .formatted(tables.deferred(), never, byHandler, dialect.literal(true));
    this.deleteDeferred = "DELETE FROM " + tables.deferred() + byHandler;
  }

  /** Copies ready rows; the caller deletes them. */
  void buryReady(Connection connection, List<Burial> burials) throws SQLException {
    if (burials.isEmpty()) {
      return;
    }
    try (PreparedStatement toDead = connection.prepareStatement(readyToDead);
        PreparedStatement toMarker = connection.prepareStatement(readyToMarker)) {
      for (Burial burial : burials) {
        bindReady(toDead, burial);
        if (burial.fate.blocksLane()) {
          bindReady(toMarker, burial);
        }
      }
      copies.run(toDead);
      copies.run(toMarker);
    }
  }

  /** Moves deferred rows. */
  void buryDeferred(Connection connection, List<Burial> burials) throws SQLException {
    if (burials.isEmpty()) {
      return;
    }
    try (PreparedStatement toDead = connection.prepareStatement(deferredToDead);
        PreparedStatement toMarker = connection.prepareStatement(deferredToMarker);
        PreparedStatement delete = connection.prepareStatement(deleteDeferred)) {
      for (Burial burial : burials) {
        bindDeferred(toDead, burial);
        copies.add(toDead);
        if (burial.fate.blocksLane()) {
          bindDeferred(toMarker, burial);
          toMarker.addBatch();
        }
        bindKey(delete, 1, burial);
        delete.addBatch();
      }
      copies.run(toDead);
      toMarker.executeBatch();
      delete.executeBatch();
    }
  }

  private void bindReady(PreparedStatement statement, Burial burial) throws SQLException {
    statement.setString(1, burial.handler);
    statement.setInt(2, burial.fate.attempts());
    statement.setString(3, burial.fate.error());
    statement.setString(4, burial.handler);
    statement.setInt(5, burial.partition);
    statement.setLong(6, burial.seq);
    dialect.bindId(statement, 7, burial.id);
    copies.add(statement);
  }

  private void bindDeferred(PreparedStatement statement, Burial burial) throws SQLException {
    statement.setInt(1, burial.fate.attempts());
    statement.setString(2, burial.fate.error());
    bindKey(statement, 3, burial);
  }

  private void bindKey(PreparedStatement statement, int first, Burial burial) throws SQLException {
    statement.setInt(first, burial.partition);
    statement.setLong(first + 1, burial.seq);
    dialect.bindId(statement, first + 2, burial.id);
    statement.setString(first + 3, burial.handler);
  }
}
