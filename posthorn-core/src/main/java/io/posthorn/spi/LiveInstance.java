/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import static java.util.Objects.requireNonNull;

import java.util.Map;
import java.util.Set;

/**
 * A row of the instance table.
 *
 * @param handlers the types that each of its handlers takes, by handler name; an empty set stands
 *     for a handler that decides by itself. None: it is about to leave, and wants no partitions
 * @param stale whether the end of its lease, as it stated it itself, has passed on the database's
 *     clock, or is further ahead than the lease is long, since that clock has gone back
 * @since 0.1
 */
public record LiveInstance(
    RelayIdentity identity, Map<String, Set<String>> handlers, boolean stale) {
  public LiveInstance {
    requireNonNull(identity, "identity");
    handlers = Map.copyOf(handlers);
  }
}
