/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import io.posthorn.verification.history.Nature;
import io.posthorn.verification.history.Receipt;
import io.posthorn.verification.history.Sent;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;

/**
 * Goes through the receipts of one lane in their order. A delivery may begin when all earlier
 * messages of the key are done, or dead, and nothing of the lane is under way in the same epoch.
 */
final class LaneWalk {
  private final List<Sent> expected;
  private final int attempts;
  private final Map<UUID, Integer> places = new HashMap<>();
  private final Set<UUID> over = new HashSet<>();
  private final BiConsumer<Violation.Kind, Receipt> violations;
  private int firstOpen;
  private UUID underWay = new UUID(0, 0);
  private long epochUnderWay = -1;

  /**
   * @param expected the messages of the key in the order of their numbers
   * @param attempts after so many a message is dead
   * @param violations told what was found, and where
   */
  LaneWalk(List<Sent> expected, int attempts, BiConsumer<Violation.Kind, Receipt> violations) {
    this.expected = expected;
    this.attempts = attempts;
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
    if (epochUnderWay == receipt.epoch()) {
      violations.accept(Violation.Kind.SIDE_BY_SIDE, receipt);
    }
    epochUnderWay = receipt.epoch();
    underWay = receipt.id();
    int place = places.getOrDefault(receipt.id(), 0);
    while (firstOpen < place && over.contains(expected.get(firstOpen).id())) {
      firstOpen++;
    }
    if (firstOpen < place) {
      violations.accept(Violation.Kind.DISORDER, receipt);
      firstOpen = place; // once is enough
    }
    if (expected.get(place).nature() == Nature.KILLER) {
      over.add(receipt.id()); // nobody lives to tell its end
    }
  }

  private void end(Receipt receipt) {
    if (epochUnderWay == receipt.epoch() && underWay.equals(receipt.id())) {
      epochUnderWay = -1;
    }
    if (receipt.kind() == Receipt.Kind.DONE || receipt.attempt() >= attempts) {
      over.add(receipt.id());
    }
  }
}
