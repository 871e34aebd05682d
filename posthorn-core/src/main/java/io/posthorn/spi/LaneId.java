/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import static java.util.Objects.requireNonNull;

/**
 * One handler and one key: the unit of order.
 *
 * @since 0.1
 */
public record LaneId(int partition, String handler, String key) {
  public LaneId {
    requireNonNull(handler, "handler");
    requireNonNull(key, "key");
  }

  // Asked for each message: a record's own are made of method handles, which are slow at first.

  @Override
  public boolean equals(Object other) {
    return other instanceof LaneId lane
        && partition == lane.partition
        && key.equals(lane.key)
        && handler.equals(lane.handler);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * key.hashCode() + handler.hashCode()) + partition;
  }
}
