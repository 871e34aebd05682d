/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import java.util.ArrayList;
import java.util.List;

/**
 * The committed tables.
 *
 * @param instances for each relay its row, which is always of its last incarnation
 * @param messages the undelivered rows, as a mask
 */
record Database(List<InstanceRow> instances, List<PartitionRow> partitions, int messages) {

  /**
   * A relay's instance row with its heartbeat row, seen with the database's clock: they come and go
   * in one transaction each, and the end is the one that the relay itself has stated. Settles lock
   * the one, heartbeats update the other, so neither waits for the other.
   */
  enum InstanceRow {
    NONE,
    FRESH,
    PAST_ITS_END
  }

  record PartitionRow(Owner owner, int epoch) {

    PartitionRow released() {
      return new PartitionRow(Owner.NOBODY, epoch);
    }
  }

  /** A relay in one of its incarnations. */
  record Owner(int relay, int incarnation) {
    static final Owner NOBODY = new Owner(-1, 0);
  }

  InstanceRow instance(int relay) {
    return instances.get(relay);
  }

  PartitionRow partition(int partition) {
    return partitions.get(partition);
  }

  Database withInstance(int relay, InstanceRow row) {
    return new Database(replaced(instances, relay, row), partitions, messages);
  }

  Database withPartition(int partition, PartitionRow row) {
    return new Database(instances, replaced(partitions, partition, row), messages);
  }

  Database without(int settled) {
    return new Database(instances, partitions, messages & ~settled);
  }

  static <T> List<T> replaced(List<T> list, int position, T value) {
    List<T> copy = new ArrayList<>(list);
    copy.set(position, value);
    return List.copyOf(copy);
  }
}
