/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import static java.util.stream.Collectors.toMap;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/**
 * Holds the deliveries against what was committed.
 *
 * <p>Which of two relays was first is told by the epoch, which grows whenever a partition changes
 * its owner; one relay's receipts are in the order in which it wrote them. A delivery too many is
 * explained by the kill only if the killed relay made the first one, and only once: it had
 * delivered the message and could not settle it any more.
 */
final class Audit {
  private static final int MOST_FINDINGS = 1_000;

  private final Set<String> handlers;
  private final String killedRelay;
  private final Map<UUID, Published> committed;
  private final Map<String, Set<UUID>> dead;
  private final Map<Pair, List<String>> relaysOf = new HashMap<>();
  private final Map<Lane, Long> reached = new HashMap<>();
  private final List<String> findings = new ArrayList<>();
  private long phantoms;
  private long outOfOrder;

  private record Pair(String handler, UUID id) {}

  private record Lane(String handler, String key) {}

  Audit(
      Set<String> handlers,
      String killedRelay,
      List<Published> committed,
      Map<String, Set<UUID>> dead) {
    this.handlers = Set.copyOf(handlers);
    this.killedRelay = killedRelay;
    this.committed = committed.stream().collect(toMap(Published::id, Function.identity()));
    this.dead = Map.copyOf(dead);
  }

  /**
   * @param receipts of successful deliveries, those of one relay in the order of writing
   */
  Verdict judge(List<Receipt> receipts) {
    // The sort is stable: inside an epoch, a lane's receipts stay as its one owner wrote them.
    receipts.stream().sorted(Comparator.comparingLong(Receipt::epoch)).forEach(this::take);
    long lost = committed.keySet().stream().filter(this::isLost).count();
    long deadLetters =
        committed.keySet().stream().filter(id -> !isLost(id)).filter(this::isDead).count();
    long explained = relaysOf.values().stream().filter(this::explainedByTheKill).count();
    return new Verdict(
        committed.size(),
        committed.size() - lost - deadLetters,
        lost,
        extraDeliveries() - explained,
        outOfOrder,
        deadLetters,
        explained,
        phantoms);
  }

  private void take(Receipt receipt) {
    Published message = committed.get(receipt.id());
    if (message == null) {
      phantoms++;
      find("phantom", receipt);
      return;
    }
    List<String> relays =
        relaysOf.computeIfAbsent(
            new Pair(receipt.handler(), receipt.id()), pair -> new ArrayList<>(1));
    relays.add(receipt.relay());
    String key = message.key();
    if (relays.size() > 1) {
      find("delivered again, first by " + relays.get(0), receipt);
    } else if (key != null) {
      checkOrder(new Lane(receipt.handler(), key), receipt);
    }
  }

  private void checkOrder(Lane lane, Receipt receipt) {
    long highest = reached.getOrDefault(lane, 0L);
    if (receipt.number() < highest) {
      outOfOrder++;
      find("out of order, after number %d of \"%s\"".formatted(highest, lane.key()), receipt);
    }
    reached.put(lane, Math.max(highest, receipt.number()));
  }

  private void find(String what, Receipt receipt) {
    if (findings.size() < MOST_FINDINGS) {
      findings.add(what + ": " + receipt);
    }
  }

  /** What was noticed in single deliveries, for those who look for the reason. */
  List<String> findings() {
    return List.copyOf(findings);
  }

  private boolean isLost(UUID id) {
    return handlers.stream()
        .anyMatch(handler -> !relaysOf.containsKey(new Pair(handler, id)) && !isDead(handler, id));
  }

  private boolean isDead(UUID id) {
    return handlers.stream().anyMatch(handler -> isDead(handler, id));
  }

  private boolean isDead(String handler, UUID id) {
    return dead.getOrDefault(handler, Set.of()).contains(id);
  }

  /** A dead letter that was delivered as well counts like a second delivery. */
  private long extraDeliveries() {
    return relaysOf.entrySet().stream()
        .mapToLong(
            entry ->
                entry.getValue().size()
                    - 1
                    + (isDead(entry.getKey().handler(), entry.getKey().id()) ? 1 : 0))
        .sum();
  }

  private boolean explainedByTheKill(List<String> relays) {
    return relays.size() > 1
        && relays.get(0).equals(killedRelay)
        && !relays.get(1).equals(killedRelay);
  }
}
