/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.LiveInstance;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Heartbeats, and who owns which partition. Both tables are tiny and read whole. */
final class LeaseStatements {
  private final String drawIncarnation;
  private final String join;
  private final String heartbeat;
  private final String survey;
  private final String lockStale;
  private final String retire;
  private final String deleteInstance;
  private final String handlers;
  private final GoneStatements gone;
  private final Fence fence;
  private final String take;
  private final String owned;
  private final String calm;
  private final String release;
  private final long leaseMillis;

  LeaseStatements(Dialect dialect, Tables tables, Duration lease) {
    String now = dialect.now();
    String staleAt = dialect.plusMillis("heartbeat_at", "?");
    String stale = staleAt + " < " + now;
    this.leaseMillis = lease.toMillis();
    this.drawIncarnation = "SELECT " + dialect.nextValue(tables.incarnation());
    this.join =
        "INSERT INTO %s (id, incarnation, heartbeat_at, joined_at, handlers) VALUES (?, ?, %s, %s, ?)"
            .formatted(tables.instance(), now, now);
    this.heartbeat =
        "UPDATE %s SET heartbeat_at = %s WHERE id = ? AND incarnation = ?"
            .formatted(tables.instance(), now);
    // One statement, so that all of it is of one moment. Those with a value in each column come
    // first: they fix the types.
    this.survey =
        """
        SELECT 'pause' AS what, 0 AS place, name, 0 AS incarnation, 0 AS epoch, 0 AS number, kind AS said, '' AS types, paused_at AS since
          FROM %s
        UNION ALL SELECT 'instance', 0, id, incarnation, %s, CASE WHEN %s THEN 1 ELSE 0 END, handlers, NULL, NULL FROM %s
        UNION ALL SELECT 'gone', 0, instance_id, incarnation, %s, 0, handler, types, NULL FROM %s
        UNION ALL SELECT 'partition', partition_no, owner_id, owner_incarnation, epoch, crashes, NULL, NULL, NULL FROM %s
        ORDER BY place
        """
            .formatted(
                tables.pause(),
                dialect.millisUntil(staleAt),
                stale,
                tables.instance(),
                dialect.millisUntil("gone_at"),
                tables.gone(),
                tables.partition());
    // A relay inside a settle holds its row; it is passed over and found again at the next survey.
    this.lockStale =
        "SELECT id, incarnation, handlers FROM %s WHERE %s %s"
            .formatted(tables.instance(), stale, dialect.lockUnlocked());
    this.retire =
        "UPDATE %s SET handlers = '' WHERE id = ? AND incarnation = ?".formatted(tables.instance());
    this.deleteInstance =
        "DELETE FROM %s WHERE id = ? AND incarnation = ?".formatted(tables.instance());
    this.handlers =
        "SELECT handlers FROM %s WHERE id = ? AND incarnation = ?".formatted(tables.instance());
    this.gone = new GoneStatements(dialect, tables);
    this.fence = new Fence(dialect, tables);
    // The epoch that the survey saw: whoever came first has changed it. An owner that did not
    // release the partition has crashed.
    this.take =
        "UPDATE %s SET crashes = CASE WHEN owner_id IS NULL THEN crashes ELSE crashes + 1 END, owner_id = ?, owner_incarnation = ?, epoch = epoch + 1 WHERE partition_no = ? AND epoch = ?"
            .formatted(tables.partition());
    this.owned =
        "SELECT partition_no, epoch, crashes FROM %s WHERE owner_id = ? AND owner_incarnation = ?"
            .formatted(tables.partition());
    String mine = " WHERE partition_no = ? AND owner_id = ? AND owner_incarnation = ?";
    this.calm = "UPDATE " + tables.partition() + " SET crashes = 0" + mine;
    this.release =
        "UPDATE " + tables.partition() + " SET owner_id = NULL, owner_incarnation = NULL" + mine;
  }

  RelayIdentity join(Connection connection, String id, Map<String, Set<String>> handlers)
      throws SQLException {
    long incarnation;
    try (PreparedStatement draw = connection.prepareStatement(drawIncarnation);
        ResultSet row = draw.executeQuery()) {
      row.next();
      incarnation = row.getLong(1);
    }
    try (PreparedStatement insert = connection.prepareStatement(join)) {
      insert.setString(1, id);
      insert.setLong(2, incarnation);
      insert.setString(3, HandlersText.of(handlers));
      insert.executeUpdate();
    }
    return new RelayIdentity(id, incarnation);
  }

  boolean heartbeat(Connection connection, RelayIdentity me) throws SQLException {
    return update(connection, heartbeat, me) == 1;
  }

  private static int update(Connection connection, String sql, RelayIdentity me)
      throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(sql)) {
      update.setString(1, me.id());
      update.setLong(2, me.incarnation());
      return update.executeUpdate();
    }
  }

  FleetSurvey survey(Connection connection) throws SQLException {
    List<PartitionOwner> partitions = new ArrayList<>();
    List<LiveInstance> instances = new ArrayList<>();
    Set<FleetSurvey.Pause> pauses = new HashSet<>();
    List<FleetSurvey.Gone> former = new ArrayList<>();
    long untilStale = leaseMillis;
    try (PreparedStatement read = connection.prepareStatement(survey)) {
      read.setLong(1, leaseMillis);
      read.setLong(2, leaseMillis);
      try (ResultSet rows = read.executeQuery()) {
        while (rows.next()) {
          switch (rows.getString(1)) {
            case "pause" -> PauseStatements.pause(rows, 7, 3, 9).ifPresent(pauses::add);
            case "instance" -> {
              LiveInstance instance = instance(rows);
              instances.add(instance);
              if (!instance.stale()) {
                untilStale = Math.min(untilStale, Math.max(0, rows.getLong(5)));
              }
            }
            case "gone" -> former.add(gone(rows));
            default -> partitions.add(partition(rows));
          }
        }
      }
    }
    return new FleetSurvey(partitions, instances, pauses, Duration.ofMillis(untilStale), former);
  }

  private static FleetSurvey.Gone gone(ResultSet row) throws SQLException {
    return new FleetSurvey.Gone(
        row.getString(7),
        new RelayIdentity(row.getString(3), row.getLong(4)),
        HandlersText.parseTypes(row.getString(8)),
        Duration.ofMillis(-row.getLong(5)));
  }

  private static LiveInstance instance(ResultSet row) throws SQLException {
    return new LiveInstance(
        new RelayIdentity(row.getString(3), row.getLong(4)),
        HandlersText.parse(row.getString(7)),
        row.getInt(6) == 1);
  }

  private static PartitionOwner partition(ResultSet row) throws SQLException {
    String owner = row.getString(3);
    RelayIdentity identity = owner == null ? null : new RelayIdentity(owner, row.getLong(4));
    return new PartitionOwner(row.getInt(2), identity, row.getLong(5), row.getInt(6));
  }

  List<RelayIdentity> expelStale(Connection connection) throws SQLException {
    Map<RelayIdentity, Map<String, Set<String>>> stale = new LinkedHashMap<>();
    try (PreparedStatement lock = connection.prepareStatement(lockStale)) {
      lock.setLong(1, leaseMillis);
      try (ResultSet rows = lock.executeQuery()) {
        while (rows.next()) {
          stale.put(
              new RelayIdentity(rows.getString(1), rows.getLong(2)),
              HandlersText.parse(rows.getString(3)));
        }
      }
    }
    for (Map.Entry<RelayIdentity, Map<String, Set<String>>> instance : stale.entrySet()) {
      update(connection, deleteInstance, instance.getKey());
      gone.insert(connection, instance.getKey(), instance.getValue());
    }
    return List.copyOf(stale.keySet());
  }

  void retire(Connection connection, RelayIdentity me) throws SQLException {
    goes(connection, retire, me);
  }

  void leave(Connection connection, RelayIdentity me) throws SQLException {
    goes(connection, deleteInstance, me);
  }

  /** Whoever changes the row notes its handlers, so that they are noted once. */
  private void goes(Connection connection, String change, RelayIdentity me) throws SQLException {
    Map<String, Set<String>> had = new HashMap<>();
    try (PreparedStatement read = connection.prepareStatement(handlers)) {
      read.setString(1, me.id());
      read.setLong(2, me.incarnation());
      try (ResultSet row = read.executeQuery()) {
        if (row.next()) {
          had.putAll(HandlersText.parse(row.getString(1)));
        }
      }
    }
    if (update(connection, change, me) == 1) {
      gone.insert(connection, me, had);
    }
  }

  void forget(Connection connection, Collection<FleetSurvey.Gone> noted) throws SQLException {
    gone.delete(connection, noted);
  }

  List<PartitionOwner> take(
      Connection connection, RelayIdentity me, Collection<PartitionOwner> seen)
      throws SQLException {
    if (!fence.lockMe(connection, me)) {
      return List.of();
    }
    try (PreparedStatement update = connection.prepareStatement(take)) {
      for (PartitionOwner partition : seen) {
        update.setString(1, me.id());
        update.setLong(2, me.incarnation());
        update.setInt(3, partition.partition());
        update.setLong(4, partition.epoch());
        update.addBatch();
      }
      update.executeBatch(); // not every driver tells how many rows each of them has changed
    }
    Map<Integer, PartitionOwner> mine = owned(connection, me);
    return seen.stream()
        .map(partition -> mine.get(partition.partition()))
        .filter(Objects::nonNull)
        .toList();
  }

  private Map<Integer, PartitionOwner> owned(Connection connection, RelayIdentity me)
      throws SQLException {
    Map<Integer, PartitionOwner> partitions = new HashMap<>();
    try (PreparedStatement read = connection.prepareStatement(owned)) {
      read.setString(1, me.id());
      read.setLong(2, me.incarnation());
      try (ResultSet rows = read.executeQuery()) {
        while (rows.next()) {
          int partition = rows.getInt(1);
          partitions.put(
              partition, new PartitionOwner(partition, me, rows.getLong(2), rows.getInt(3)));
        }
      }
    }
    return partitions;
  }

  void calm(Connection connection, RelayIdentity me, Collection<Integer> partitions)
      throws SQLException {
    updateOwned(connection, calm, me, partitions);
  }

  void release(Connection connection, RelayIdentity me, Collection<Integer> partitions)
      throws SQLException {
    if (fence.lockMe(connection, me)) {
      updateOwned(connection, release, me, partitions);
    }
  }

  private static void updateOwned(
      Connection connection, String sql, RelayIdentity me, Collection<Integer> partitions)
      throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(sql)) {
      for (int partition : partitions) {
        update.setInt(1, partition);
        update.setString(2, me.id());
        update.setLong(3, me.incarnation());
        update.addBatch();
      }
      update.executeBatch();
    }
  }
}
