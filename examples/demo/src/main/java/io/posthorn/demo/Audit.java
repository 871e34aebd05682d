/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Holds the deliveries against what was committed.
 *
 * <p>Which of two relays was first is told by the epoch, which grows whenever a partition changes
 * its owner; one relay's receipts are in the order in which it wrote them. A delivery too many is
 * explained by the kill only if the killed relay made the first one, and only once: it had
 * delivered the message and could not settle it any more.
 *
 * <p>The lane of a dead letter went on without it. When it is retried it comes after what has
 * passed, so that of a lane the retried ones are in order among themselves.
 */
final class Audit {
  private static final int MOST_FINDINGS = 1_000;

  private final Set<String> handlers;
  private final String killedRelay;
  private final Map<UUID, Published> committed;
  private final Dead dead;
  private final Map<Pair, List<String>> relaysOf = new HashMap<>();
  private final Map<Lane, Long> reached = new HashMap<>();
  private final Map<Lane, Long> reachedByRetried = new HashMap<>();
  private final Set<Pair> deliveredAfterRetry = new HashSet<>();
  private final List<String> findings = new ArrayList<>();
  private long phantoms;
  private long outOfOrder;

  private record Pair(String handler, UUID id) {}

  private record Lane(String handler, String key) {}

  /**
   * The messages that were dead letters, by handler.
   *
   * @param retried when all was delivered that could be; all of them were retried then
   * @param left in the end
   */
  record Dead(Map<String, Set<UUID>> retried, Map<String, Set<UUID>> left) {
    static final Dead NONE = new Dead(Map.of(), Map.of());

    Dead {
      retried = Map.copyOf(retried);
      left = Map.copyOf(left);
    }

    boolean isRetried(String handler, UUID id) {
      return retried.getOrDefault(handler, Set.of()).contains(id);
    }

    boolean isLeft(String handler, UUID id) {
      return left.getOrDefault(handler, Set.of()).contains(id);
    }

    /** All messages that were a dead letter at some time. */
    Set<UUID> ids() {
      return Stream.of(retried, left)
          .flatMap(byHandler -> byHandler.values().stream())
          .flatMap(Set::stream)
          .collect(toSet());
    }
  }

  Audit(Set<String> handlers, String killedRelay, List<Published> committed, Dead dead) {
    this.handlers = Set.copyOf(handlers);
    this.killedRelay = killedRelay;
    this.committed = committed.stream().collect(toMap(Published::id, Function.identity()));
    this.dead = dead;
  }

  /**
   * The receipts are of successful deliveries, those of one relay in the order of writing.
   *
   * @param first up to the retry of the dead letters
   * @param afterRetry the others
   */
  Verdict judge(List<Receipt> first, List<Receipt> afterRetry) {
    inOrder(first).forEach(this::take);
    inOrder(afterRetry)
        .forEach(
            receipt -> {
              deliveredAfterRetry.add(new Pair(receipt.handler(), receipt.id()));
              take(receipt);
            });
    long lost = committed.keySet().stream().filter(this::isLost).count();
    Verdict.DeadLetters deadLetters = deadLetters();
    long explained = relaysOf.values().stream().filter(this::explainedByTheKill).count();
    return new Verdict(
        committed.size(),
        committed.size() - lost - deadLetters.left(),
        lost,
        extraDeliveries() - explained,
        outOfOrder,
        deadLetters,
        explained,
        phantoms);
  }

  /** The sort is stable: inside an epoch, a lane's receipts stay as its one owner wrote them. */
  private static Stream<Receipt> inOrder(List<Receipt> receipts) {
    return receipts.stream().sorted(Comparator.comparingLong(Receipt::epoch));
  }

  private Verdict.DeadLetters deadLetters() {
    Set<UUID> died = dead.ids();
    Set<UUID> unexpected = new HashSet<>(died);
    committed.values().stream()
        .filter(Published::poisoned)
        .map(Published::id)
        .forEach(
            id -> {
              if (!unexpected.remove(id)) {
                unexpected.add(id);
              }
            });
    unexpected.forEach(
        id -> find("dead letter that should be none, or none that should be: " + id));
    Set<UUID> notLost = died.stream().filter(id -> !isLost(id)).collect(toSet());
    long left = notLost.stream().filter(this::isLeft).count();
    return new Verdict.DeadLetters(died.size(), unexpected.size(), notLost.size() - left, left);
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
      boolean retried = dead.isRetried(receipt.handler(), receipt.id());
      checkOrder(new Lane(receipt.handler(), key), receipt, retried ? reachedByRetried : reached);
    }
  }

  private void checkOrder(Lane lane, Receipt receipt, Map<Lane, Long> reached) {
    long highest = reached.getOrDefault(lane, 0L);
    if (receipt.number() < highest) {
      outOfOrder++;
      find("out of order, after number %d of \"%s\"".formatted(highest, lane.key()), receipt);
    }
    reached.put(lane, Math.max(highest, receipt.number()));
  }

  private void find(String what, Receipt receipt) {
    find(what + ": " + receipt);
  }

  private void find(String finding) {
    if (findings.size() < MOST_FINDINGS) {
      findings.add(finding);
    }
  }

  /** What was noticed in single deliveries, for those who look for the reason. */
  List<String> findings() {
    return List.copyOf(findings);
  }

  private boolean isLost(UUID id) {
    return handlers.stream().anyMatch(handler -> isLost(new Pair(handler, id)));
  }

  /** A retried dead letter has to be delivered after that, whatever came before. */
  private boolean isLost(Pair pair) {
    if (dead.isLeft(pair.handler(), pair.id())) {
      return false;
    }
    return dead.isRetried(pair.handler(), pair.id())
        ? !deliveredAfterRetry.contains(pair)
        : !relaysOf.containsKey(pair);
  }

  private boolean isLeft(UUID id) {
    return handlers.stream().anyMatch(handler -> dead.isLeft(handler, id));
  }

  /** A dead letter that is left and was delivered as well counts like a second delivery. */
  private long extraDeliveries() {
    return relaysOf.entrySet().stream()
        .mapToLong(
            entry ->
                entry.getValue().size()
                    - 1
                    + (dead.isLeft(entry.getKey().handler(), entry.getKey().id()) ? 1 : 0))
        .sum();
  }

  private boolean explainedByTheKill(List<String> relays) {
    return relays.size() > 1
        && relays.get(0).equals(killedRelay)
        && !relays.get(1).equals(killedRelay);
  }
}
