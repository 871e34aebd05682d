/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test;

import io.posthorn.Admin.Survey;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.StoredMessage;
import io.posthorn.test.InMemoryTables.Dead;
import io.posthorn.test.InMemoryTables.Deferred;
import io.posthorn.test.InMemoryTables.HandlerKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts the rows of an in-memory store up to a limit. Used within the lock of the tables. */
final class InMemorySurvey {
  private static final Comparator<Waiting> ORDER =
      Comparator.comparing(Waiting::handler).thenComparing(Waiting::type);

  private final InMemoryTables tables;
  private final int limit;
  private boolean capped;
  private Duration oldest = Duration.ZERO;

  private record Waiting(String handler, String type) {}

  private record Part(int partition, String handler) {}

  InMemorySurvey(InMemoryTables tables, int limit) {
    this.tables = tables;
    this.limit = limit;
  }

  Survey take() {
    Instant now = tables.clock.instant();
    List<Survey.Ready> ready = ready(now);
    List<Survey.Waiting> deferred = deferred();
    List<Survey.Waiting> dead = dead();
    long live = tables.instances.values().stream().filter(instance -> !instance.stale(now)).count();
    return new Survey(now, ready, deferred, dead, oldest, (int) live, capped);
  }

  private List<Survey.Ready> ready(Instant now) {
    Map<Integer, Integer> counted = new HashMap<>();
    Map<Integer, Map<String, Long>> byType = new TreeMap<>();
    for (StoredMessage row : tables.ready.values()) {
      if (counts(counted, row.partition())) {
        byType
            .computeIfAbsent(row.partition(), any -> new TreeMap<>())
            .merge(row.envelope().type(), 1L, Long::sum);
        Duration age = Duration.between(row.createdAt(), now);
        oldest = age.compareTo(oldest) > 0 ? age : oldest;
      }
    }
    List<Survey.Ready> found = new ArrayList<>();
    byType.forEach(
        (partition, types) ->
            types.forEach((type, count) -> found.add(new Survey.Ready(partition, type, count))));
    return found;
  }

  /** Whether one more is counted of a group. */
  private <G> boolean counts(Map<G, Integer> counted, G group) {
    int count = counted.merge(group, 1, Integer::sum);
    capped |= count >= limit;
    return count <= limit;
  }

  private List<Survey.Waiting> deferred() {
    Map<Part, Integer> counted = new HashMap<>();
    Map<Waiting, Long> found = new TreeMap<>(ORDER);
    for (Map.Entry<HandlerKey, Deferred> row : tables.deferred.entrySet()) {
      HandlerKey key = row.getKey();
      if (counts(counted, new Part(key.partition(), key.handler()))
          && row.getValue().reason() != DeferReason.BLOCKED) {
        String type = row.getValue().message().envelope().type();
        found.merge(new Waiting(key.handler(), type), 1L, Long::sum);
      }
    }
    return listed(found);
  }

  private List<Survey.Waiting> dead() {
    long most = (long) limit * tables.partitions.size();
    capped |= tables.dead.size() >= most;
    Map<Waiting, Long> found = new TreeMap<>(ORDER);
    tables.dead.entrySet().stream()
        .sorted(Comparator.comparing(row -> -row.getKey().seq()))
        .limit(most)
        .forEach(row -> found.merge(waiting(row.getKey(), row.getValue()), 1L, Long::sum));
    return listed(found);
  }

  private static Waiting waiting(HandlerKey key, Dead row) {
    return new Waiting(key.handler(), row.message().envelope().type());
  }

  private static List<Survey.Waiting> listed(Map<Waiting, Long> found) {
    List<Survey.Waiting> listed = new ArrayList<>();
    found.forEach((key, count) -> listed.add(new Survey.Waiting(key.handler, key.type, count)));
    return listed;
  }
}
