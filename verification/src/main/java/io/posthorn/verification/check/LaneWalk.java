/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import io.posthorn.verification.history.Nature;
import io.posthorn.verification.history.Receipt;
import io.posthorn.verification.history.Receiver;
import io.posthorn.verification.history.Sent;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * Goes through the receipts of one lane in their order. A delivery may begin when all earlier
 * messages of the key are done, dead or dropped, and nothing of the lane is under way in the same
 * epoch. Where later messages may pass one that has failed, that one no longer counts. Where a dead
 * letter blocks its lane, somebody must have dealt with it before the next one begins.
 */
final class LaneWalk {
  private final Receiver receiver;
  private final List<Sent> expected;
  private final Predicate<Sent> droppable;
  private final Predicate<Sent> mayReturn;
  private final Released released;
  private final Map<UUID, Integer> places = new HashMap<>();
  private final Set<UUID> over = new HashSet<>();
  private final Set<UUID> passed = new HashSet<>();
  private final Map<UUID, Long> blockedAt = new HashMap<>();
  private final BiConsumer<Violation.Kind, Receipt> violations;
  private int firstOpen;
  private UUID underWay = new UUID(0, 0);
  private long epochUnderWay = -1;

  /** Whether somebody dealt with a dead letter in this span. */
  @FunctionalInterface
  interface Released {
    boolean between(Sent message, long from, long to);
  }

  /**
   * @param expected the messages of the key that stand in an order, in that order
   * @param droppable whether a message may never come
   * @param mayReturn whether it may come all the same when others have passed it
   * @param released whether an operator has let the lane of a dead letter go on
   * @param violations told what was found, and where
   */
  LaneWalk(
      Receiver receiver,
      List<Sent> expected,
      Predicate<Sent> droppable,
      Predicate<Sent> mayReturn,
      Released released,
      BiConsumer<Violation.Kind, Receipt> violations) {
    this.receiver = receiver;
    this.expected = expected;
    this.droppable = droppable;
    this.mayReturn = mayReturn;
    this.released = released;
    this.violations = violations;
    for (int i = 0; i < expected.size(); i++) {
      places.put(expected.get(i).id(), i);
    }
  }

  void take(Receipt receipt) {
    if (receipt.kind() == Receipt.Kind.STARTED) {
      start(receipt);
    } else {
      end(receipt);
    }
  }

  private void start(Receipt receipt) {
    boolean beside = receiver.letsPass() && receipt.attempt() > 1; // retried beside the others
    if (epochUnderWay == receipt.epoch() && !beside) {
      violations.accept(Violation.Kind.SIDE_BY_SIDE, receipt);
    }
    if (!beside) {
      epochUnderWay = receipt.epoch();
      underWay = receipt.id();
    }
    Integer place = places.get(receipt.id());
    if (place != null) {
      inOrder(receipt, place);
    }
  }

  private void inOrder(Receipt receipt, int place) {
    boolean overtaken = passed.remove(receipt.id());
    while (firstOpen < place && mayBePassed(expected.get(firstOpen), receipt.millis())) {
      firstOpen++;
    }
    if (overtaken || firstOpen < place) {
      violations.accept(Violation.Kind.DISORDER, receipt);
      firstOpen = Math.max(firstOpen, place); // once is enough
    }
    if (expected.get(place).nature() == Nature.KILLER) {
      over.add(receipt.id()); // nobody lives to tell its end
    }
  }

  private boolean mayBePassed(Sent earlier, long now) {
    if (over.contains(earlier.id())) {
      return true;
    }
    Long blocked = blockedAt.get(earlier.id());
    if (blocked != null && released.between(earlier, blocked, now)) {
      return true;
    }
    boolean dropped = droppable.test(earlier);
    if (dropped && !mayReturn.test(earlier)) {
      passed.add(earlier.id()); // then it must not come any more
    }
    return dropped;
  }

  private void end(Receipt receipt) {
    if (epochUnderWay == receipt.epoch() && underWay.equals(receipt.id())) {
      epochUnderWay = -1;
    }
    boolean ended =
        switch (receipt.kind()) {
          case DONE, FELL_BACK, GAVE_UP -> true;
          case FAILED ->
              receiver.letsPass()
                  || (receipt.attempt() >= receiver.attempts() && !receiver.hasFallback());
          default -> false;
        };
    if (ended && receiver.blocks() && receipt.kind() == Receipt.Kind.FAILED) {
      blockedAt.put(receipt.id(), receipt.millis());
    } else if (ended) {
      over.add(receipt.id());
    }
  }
}
