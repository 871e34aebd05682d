/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test;

import io.posthorn.spi.LiveInstance;
import io.posthorn.spi.PartitionOwner;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a store holds at one moment, table by table, for assertions.
 *
 * @since 0.1
 */
public record StoredRows(
    List<Ready> ready,
    List<Deferred> deferred,
    List<Dead> dead,
    List<LiveInstance> instances,
    List<PartitionOwner> partitions) {
  public StoredRows {
    ready = List.copyOf(ready);
    deferred = List.copyOf(deferred);
    dead = List.copyOf(dead);
    instances = List.copyOf(instances);
    partitions = List.copyOf(partitions);
  }

  /** A row of the ready table. */
  public record Ready(int partition, long seq, String type, @Nullable String key) {}

  /** A row of the deferred table. */
  public record Deferred(
      int partition,
      long seq,
      String type,
      @Nullable String key,
      String handler,
      String reason,
      int attempts,
      @Nullable String error) {}

  /** A row of the dead letter table. */
  public record Dead(
      int partition,
      long seq,
      String type,
      @Nullable String key,
      String handler,
      int attempts,
      String error) {}

  /** Whether no message is left, waiting or dead. */
  public boolean noMessages() {
    return ready.isEmpty() && deferred.isEmpty() && dead.isEmpty();
  }
}
