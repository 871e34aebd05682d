/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Who owns which partition. All changes are made by the owner, or by the one who becomes it, under
 * the {@link Fence}, and are served by the primary key.
 */
final class OwnershipStatements {
  private final Fence fence;
  private final String take;
  private final String owned;
  private final String calm;
  private final String release;
  private final String storeFloor;

  OwnershipStatements(Dialect dialect, Tables tables) {
    this.fence = new Fence(dialect, tables);
    // The epoch that the survey saw: whoever came first has changed it. An owner that did not
    // release the partition has crashed.
    this.take =
        "UPDATE %s SET crashes = CASE WHEN owner_id IS NULL THEN crashes ELSE crashes + 1 END, owner_id = ?, owner_incarnation = ?, epoch = epoch + 1 WHERE partition_no = ? AND epoch = ?"
            .formatted(tables.partition());
    this.owned =
        "SELECT partition_no, epoch, crashes, floor_seq FROM %s WHERE owner_id = ? AND owner_incarnation = ?"
            .formatted(tables.partition());
    String mine = " WHERE partition_no = ? AND owner_id = ? AND owner_incarnation = ?";
    this.calm = "UPDATE " + tables.partition() + " SET crashes = 0" + mine;
    this.release =
        "UPDATE " + tables.partition() + " SET owner_id = NULL, owner_incarnation = NULL" + mine;
    this.storeFloor = "UPDATE " + tables.partition() + " SET floor_seq = ?" + mine;
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
              partition,
              new PartitionOwner(partition, me, rows.getLong(2), rows.getInt(3), rows.getLong(4)));
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
    updateOwned(connection, release, me, partitions);
  }

  boolean storeFloors(Connection connection, RelayIdentity me, Map<Integer, Long> floors)
      throws SQLException {
    if (!fence.lockMe(connection, me)) {
      return false;
    }
    try (PreparedStatement update = connection.prepareStatement(storeFloor)) {
      for (Map.Entry<Integer, Long> floor : floors.entrySet()) {
        update.setLong(1, floor.getValue());
        bindMine(update, 2, me, floor.getKey());
        update.addBatch();
      }
      update.executeBatch();
    }
    return true;
  }

  /** Locks nothing. */
  Map<Integer, Long> floors(Connection connection, RelayIdentity me) throws SQLException {
    Map<Integer, Long> floors = new HashMap<>();
    owned(connection, me).forEach((number, partition) -> floors.put(number, partition.floor()));
    return floors;
  }

  private void updateOwned(
      Connection connection, String sql, RelayIdentity me, Collection<Integer> partitions)
      throws SQLException {
    if (!fence.lockMe(connection, me)) {
      return;
    }
    try (PreparedStatement update = connection.prepareStatement(sql)) {
      for (int partition : partitions) {
        bindMine(update, 1, me, partition);
        update.addBatch();
      }
      update.executeBatch();
    }
  }

  private static void bindMine(
      PreparedStatement statement, int first, RelayIdentity me, int partition) throws SQLException {
    statement.setInt(first, partition);
    statement.setString(first + 1, me.id());
    statement.setLong(first + 2, me.incarnation());
  }
}
