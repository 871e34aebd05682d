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
}
