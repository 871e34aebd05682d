/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.ReadSlice;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Gives up deferred rows of handlers that no live instance has had for the grace time of a rolling
 * deployment. How long is counted by the relay that looks, so a restart prolongs it. Reader's
 * thread only.
 */
public final class Orphans {
  private static final Duration INTERVAL = Duration.ofSeconds(30);
  private static final int ROWS = 500;

  private final RelayStore store;
  private final Workload workload;
  private final Map<String, Long> missingSince = new HashMap<>();
  private boolean looked;
  private long lookedAt;

  public Orphans(RelayStore store, Workload workload) {
    this.store = store;
    this.workload = workload;
  }

  /**
   * Looks, if it is time to.
   *
   * @return how many rows were given up
   */
  public int runOnce() {
    long now = workload.ticker.nanos();
    if (looked && now - lookedAt < INTERVAL.toNanos()) {
      return 0;
    }
    Map<Integer, Holding> held = held();
    Map<Integer, Set<String>> missing = missing(store.deferredHandlers(held.keySet()));
    Set<String> names = new HashSet<>();
    missing.values().forEach(names::addAll);
    missingSince.keySet().retainAll(names);
    names.forEach(name -> missingSince.putIfAbsent(name, now));
    int buried = 0;
    for (String handler : names) {
      Long since = missingSince.get(handler);
      if (since != null && now - since >= workload.options.unknownTypeGrace().toNanos()) {
        buried += bury(handler, held, missing);
      }
    }
    looked = buried == 0; // else there may be more
    lookedAt = now;
    return buried;
  }

  private Map<Integer, Set<String>> missing(Map<Integer, Set<String>> found) {
    Set<String> known = new HashSet<>(workload.fleet.handlers());
    workload.lanes.handlers().forEach(handler -> known.add(handler.name()));
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

  private int bury(String handler, Map<Integer, Holding> held, Map<Integer, Set<String>> missing) {
    List<ReadSlice> slices =
        missing.entrySet().stream()
            .filter(entry -> entry.getValue().contains(handler))
            .map(entry -> new ReadSlice(entry.getKey(), 0, ROWS))
            .toList();
    List<Integer> partitions = slices.stream().map(ReadSlice::partition).toList();
    String error =
        "no live instance has had handler \"%s\" for %s"
            .formatted(handler, workload.options.unknownTypeGrace());
    return giveUp(held, store.readBacklog(handler, slices), error)
        + giveUp(held, store.readDue(partitions, List.of(handler), ROWS), error);
  }

  /** Partitions that are held, by number. */
  private Map<Integer, Holding> held() {
    return workload.locked(
        () -> {
          Map<Integer, Holding> held = new TreeMap<>();
          for (Holding holding : workload.holdings.values()) {
            if (holding.state == Holding.State.HELD) {
              holding.deferredReadBegins();
              held.put(holding.partition, holding);
            }
          }
          return held;
        });
  }

  /**
   * Makes dead letters of deferred rows that nobody here can deliver.
   *
   * @param held the partitions as they were when the rows were read
   * @return how many
   */
  private int giveUp(Map<Integer, Holding> held, List<DeferredMessage> rows, String error) {
    return workload.locked(
        () -> {
          int given = 0;
          for (DeferredMessage row : rows) {
            Holding holding = held.get(row.message().partition());
            if (holding != null
                && holding.state == Holding.State.HELD
                && row.reason() != DeferReason.BLOCKED
                && holding.enterDeferred(row.message().seq(), row.handler())) {
              holding.items++;
              workload.window.add(row.message());
              Fate dead = new Fate.Dead(row.attempts(), error);
              workload.addOutcome(
                  new Outcome.OfDeferred(holding, row.message(), row.handler(), null, dead));
              given++;
            }
          }
          return given;
        });
  }
}
