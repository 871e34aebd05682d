/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Resolution;
import io.posthorn.MessageHeaders;
import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.DeferredMessage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What operators do to dead letters, and with delivered messages. Rows move inside the database;
 * payloads do not travel. All are served by the primary keys. The rows that are moved are locked
 * first, so that of two operators who do the same the second finds nothing.
 */
final class LetterMoves {
  private static final String RESOLVED = " AND resolved_by IS NOT NULL";

  private final Dialect dialect;
  private final ById byId;
  private final LaneMoves lanes;
  private final DeferredFloors floors;
  private final String dead;
  private final String history;
  private final String deleteMarkers;
  private final String deadToDeferred;
  private final String deadToHistory;
  private final String deleteDead;
  private final String setHeaders;
  private final String setPayload;
  private final String missing;
  private final String historyToDeferred;
  private final String historyToDead;
  private final String deleteResolved;
  private final String headers;

  LetterMoves(Dialect dialect, Tables tables, LaneMoves lanes) {
    this.dialect = dialect;
    String now = dialect.now();
    String others = "partition_no, " + Rows.ENVELOPE + ", created_at, handler";
    String columns = "seq, " + others;
    // Rows that are not meant for one handler stand in no lane.
    String toDeferred =
        """
        INSERT INTO %s (seq, %s, last_error, in_lane, reason, attempts, due_at, deferred_at)
        SELECT %%s, %s, %%s, %s, 'RETRYING', 0, %s, %s
          FROM %%s WHERE %%s
        """
            .formatted(
                tables.deferred(),
                others,
                others,
                dialect.value(
                    "message_key IS NOT NULL AND handler <> '%s'"
                        .formatted(DeferredMessage.UNDECIDED)),
                now,
                now);
    FreeSeq free = new FreeSeq(dialect, tables);
    this.byId = new ById(dialect);
    this.lanes = lanes;
    this.floors = new DeferredFloors(dialect, tables);
    this.dead = tables.dead();
    this.history = tables.history();
    this.deleteMarkers =
        "DELETE FROM %s WHERE reason = 'BLOCKED' AND ".formatted(tables.deferred());
    this.deadToDeferred =
        toDeferred.formatted(free.inDeferred(dead, dead + ".handler"), "error", dead, "");
    this.deadToHistory =
        "INSERT INTO %s (%s, attempts, error, delivered_at, resolved_by, resolved_why) SELECT %s, attempts, error, %s, ?, ? FROM %s WHERE "
            .formatted(history, columns, columns, now, dead);
    this.deleteDead = "DELETE FROM " + dead + " WHERE ";
    this.setHeaders =
        "UPDATE %s SET headers = ? WHERE partition_no = ? AND seq = ? AND handler = ?"
            .formatted(dead);
    this.headers = "SELECT partition_no, seq, handler, headers FROM " + dead + " WHERE ";
    this.setPayload =
        "UPDATE %s SET payload = ? WHERE partition_no = ? AND seq = ? AND handler = ?"
            .formatted(dead);
    this.missing =
        """
         AND NOT EXISTS (SELECT 1 FROM %2$s d
                          WHERE d.partition_no = %1$s.partition_no AND d.handler = %1$s.handler AND d.seq = %1$s.seq)
         AND NOT EXISTS (SELECT 1 FROM %3$s d WHERE d.seq = %1$s.seq AND d.handler = %1$s.handler)
        """
            .formatted(history, tables.deferred(), dead);
    // None is reopened that is elsewhere, so no other row has its seq.
    this.historyToDead =
        "INSERT INTO %1$s (%2$s, attempts, error, died_at) SELECT %2$s, attempts, error, %3$s FROM %4$s WHERE delivered_at = (SELECT max(o.delivered_at) FROM %4$s o WHERE o.seq = %4$s.seq AND o.handler = %4$s.handler AND o.resolved_by IS NOT NULL) AND "
            .formatted(dead, columns, now, history);
    this.deleteResolved = "DELETE FROM " + history + " WHERE resolved_by IS NOT NULL AND ";
    // It may have been delivered several times; what was kept of it is the same.
    this.historyToDeferred =
        toDeferred.formatted(
            history + ".seq", // none is replayed whose seq is taken
            "NULL",
            history,
            "delivered_at = (SELECT max(o.delivered_at) FROM %1$s o WHERE o.seq = %1$s.seq AND o.handler = %1$s.handler) AND "
                .formatted(history));
  }

  List<EntryId> retry(Connection connection, Collection<EntryId> ids) throws SQLException {
    List<EntryId> found = byId.lock(connection, dead, ids, "");
    if (!found.isEmpty()) {
      lanes.lockLanes(connection, dead, found);
      register(connection, found);
      byId.update(connection, deleteMarkers, found);
      byId.update(connection, deadToDeferred, found);
      byId.update(connection, deleteDead, found);
    }
    return found;
  }

  List<EntryId> remove(
      Connection connection, Collection<EntryId> ids, @Nullable Resolution resolution)
      throws SQLException {
    List<EntryId> found = byId.lock(connection, dead, ids, "");
    if (!found.isEmpty()) {
      if (resolution != null) {
        byId.update(connection, deadToHistory, found, resolution.who(), resolution.why());
      }
      byId.update(connection, deleteDead, found);
      lanes.deleteMarkers(connection, found);
    }
    return found;
  }

  List<EntryId> editHeaders(
      Connection connection,
      Collection<EntryId> ids,
      Function<Map<String, String>, @Nullable Map<String, String>> edit)
      throws SQLException {
    List<EntryId> edited = new ArrayList<>();
    List<EntryId> found = byId.lock(connection, dead, ids, "");
    for (Map.Entry<EntryId, Map<String, String>> letter : headers(connection, found).entrySet()) {
      Map<String, String> wanted = edit.apply(letter.getValue());
      if (wanted != null && setHeaders(connection, letter.getKey(), wanted)) {
        edited.add(letter.getKey());
      }
    }
    return edited;
  }

  private Map<EntryId, Map<String, String>> headers(Connection connection, List<EntryId> ids)
      throws SQLException {
    Map<EntryId, Map<String, String>> found = new LinkedHashMap<>();
    if (!ids.isEmpty()) {
      byId.read(
          connection,
          headers,
          ids,
          row -> {
            Map<String, String> has = HeadersText.read(row.getString(4));
            if (!has.containsKey(MessageHeaders.UNREADABLE)) { // an edit would lose them
              found.put(new EntryId(row.getInt(1), row.getLong(2), row.getString(3)), has);
            }
          });
    }
    return found;
  }

  boolean setHeaders(Connection connection, EntryId id, Map<String, String> headers)
      throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(setHeaders)) {
      update.setString(1, HeadersText.of(headers));
      update.setInt(2, id.partition());
      update.setLong(3, id.seq());
      update.setString(4, id.handler());
      return update.executeUpdate() > 0;
    }
  }

  boolean setPayload(Connection connection, EntryId id, byte @Nullable [] payload)
      throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(setPayload)) {
      dialect.bindPayload(update, 1, payload);
      update.setInt(2, id.partition());
      update.setLong(3, id.seq());
      update.setString(4, id.handler());
      return update.executeUpdate() > 0;
    }
  }

  List<EntryId> reopen(Connection connection, Collection<EntryId> ids) throws SQLException {
    List<EntryId> locked = byId.lock(connection, history, ids, RESOLVED);
    // In a statement of its own: what others did while the lock was waited for is seen.
    List<EntryId> found =
        locked.isEmpty() ? locked : byId.lock(connection, history, locked, RESOLVED + missing);
    if (!found.isEmpty()) {
      byId.update(connection, historyToDead, found);
      byId.update(connection, deleteResolved, found);
    }
    return found;
  }

  List<EntryId> replay(Connection connection, Collection<EntryId> ids) throws SQLException {
    List<EntryId> locked = byId.lock(connection, history, ids, "");
    // In a statement of its own: what others did while the lock was waited for is seen.
    List<EntryId> found =
        locked.isEmpty() ? locked : byId.lock(connection, history, locked, missing);
    if (!found.isEmpty()) {
      lanes.lockLanes(connection, history, found);
      register(connection, found);
      byId.update(connection, historyToDeferred, found);
    }
    return found;
  }

  private void register(Connection connection, List<EntryId> rows) throws SQLException {
    DeferredFloors.Inserts inserts = new DeferredFloors.Inserts();
    rows.forEach(row -> inserts.add(row.partition(), row.handler(), row.seq()));
    floors.register(connection, inserts);
  }
}
