/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.read;

import io.posthorn.internal.memory.DueIntake;
import io.posthorn.internal.memory.HeldPartition;
import io.posthorn.internal.policy.Fleet;
import io.posthorn.internal.policy.Handlers;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.ReadRequest.Slice;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Gives up deferred rows of handlers that no live instance has had for the grace time of a rolling
 * deployment. How long is counted by the relay that looks, so a restart prolongs it. Reader's
 * thread only.
 */
final class OrphanReaper {
  private static final Duration INTERVAL = Duration.ofSeconds(30);
  private static final int MAX_ROWS = 500;

  private final RelayStore store;
  private final DueIntake memory;
  private final Supplier<Fleet> fleet;
  private final Ticker ticker;
  private final Duration grace;
  private final Set<String> own = new HashSet<>();
  private final Map<String, Long> missingSince = new HashMap<>();
  private boolean looked;
  private long lookedAt;

  OrphanReaper(
      RelayStore store,
      DueIntake memory,
      Handlers handlers,
      Supplier<Fleet> fleet,
      Ticker ticker,
      Duration grace) {
    this.store = store;
    this.memory = memory;
    this.fleet = fleet;
    this.ticker = ticker;
    this.grace = grace;
    handlers.specs().forEach(spec -> own.add(spec.name()));
  }

  /**
   * Looks, if it is time to.
   *
   * @return how many rows were given up
   */
  int runOnce() {
    long now = ticker.nanos();
    if (looked && now - lookedAt < INTERVAL.toNanos()) {
      return 0;
    }
    Map<Integer, HeldPartition> held = memory.readablePartitions();
    Map<Integer, Set<String>> missing = missing(store.deferredHandlers(held.keySet()));
    Set<String> names = new HashSet<>();
    missing.values().forEach(names::addAll);
    missingSince.keySet().retainAll(names);
    names.forEach(name -> missingSince.putIfAbsent(name, now));
    int buried = 0;
    for (String handler : names) {
      Long since = missingSince.get(handler);
      if (since != null && now - since >= grace.toNanos()) {
        buried += bury(handler, held, missing);
      }
    }
    looked = buried == 0; // else there may be more
    lookedAt = now;
    return buried;
  }

  private Map<Integer, Set<String>> missing(Map<Integer, Set<String>> found) {
    Set<String> known = new HashSet<>(fleet.get().handlers());
    known.addAll(own);
    known.add(DeferredMessage.UNDECIDED);
    Map<Integer, Set<String>> missing = new HashMap<>();
    found.forEach(
        (partition, handlers) -> {
          Set<String> unknown = new HashSet<>(handlers);
          unknown.removeAll(known);
          if (!unknown.isEmpty()) {
            missing.put(partition, unknown);
          }
        });
    return missing;
  }

  private int bury(
      String handler, Map<Integer, HeldPartition> held, Map<Integer, Set<String>> missing) {
    List<Slice> slices =
        missing.entrySet().stream()
            .filter(entry -> entry.getValue().contains(handler))
            .map(entry -> new Slice(entry.getKey(), Long.MIN_VALUE, MAX_ROWS))
            .toList();
    String error = "no live instance has had handler \"%s\" for %s".formatted(handler, grace);
    List<DueIntake.Routed> rows =
        store.readHandler(handler, slices).stream()
            .filter(row -> row.reason() != DeferReason.BLOCKED)
            .map(row -> new DueIntake.Routed(row, new Fate.Dead(row.attempts(), error)))
            .toList();
    return memory.acceptOrphans(held, rows);
  }
}
