/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer;

import io.posthorn.Posthorn;
import io.posthorn.RelayStatus;
import io.posthorn.RelayStatus.HandlerStatus;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Gauges of what the relay in this process has in memory; each look at one is a look at the relay.
 * There are none until the relay runs, and none if the process only publishes. Guarded by the lock
 * of the metrics, but for the reading.
 */
final class RelayGauges {
  private final Posthorn posthorn;
  private final Meters meters;
  private final Set<String> handlers = new HashSet<>();
  private boolean bound;

  RelayGauges(Posthorn posthorn, Meters meters) {
    this.posthorn = posthorn;
    this.meters = meters;
  }

  /** Adds gauges for what is new. */
  void refresh() {
    posthorn.status().ifPresent(this::add);
  }

  private void add(RelayStatus status) {
    if (!bound) {
      bound = true;
      meters.gauge(MeterName.PARTITIONS_HELD, () -> ofRelay(relay -> relay.epochs().size()));
      meters.gauge(MeterName.LEASE_VALID, () -> ofRelay(relay -> relay.leaseValid() ? 1 : 0));
      meters.gauge(MeterName.IN_MEMORY, () -> ofRelay(RelayStatus::inMemory));
    }
    for (String name : status.handlers().keySet()) {
      if (handlers.add(name)) {
        meters.gauge(
            MeterName.LANES_BLOCKED, () -> of(name, HandlerStatus::blockedLanes), "handler", name);
        meters.gauge(
            MeterName.CIRCUIT_OPEN,
            () -> of(name, handler -> handler.circuitOpen() ? 1 : 0),
            "handler",
            name);
        meters.gauge(
            MeterName.DESTINATIONS_UNAVAILABLE,
            () -> of(name, handler -> handler.unavailable().size()),
            "handler",
            name);
      }
    }
  }

  /** A relay that was stopped holds nothing. */
  private int ofRelay(Function<RelayStatus, Integer> value) {
    return posthorn.status().map(value).orElse(0);
  }

  private int of(String handler, Function<HandlerStatus, Integer> value) {
    return ofRelay(
        relay -> Optional.ofNullable(relay.handlers().get(handler)).map(value).orElse(0));
  }
}
