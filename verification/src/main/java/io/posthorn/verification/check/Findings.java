/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import io.posthorn.verification.history.Receipt;
import io.posthorn.verification.history.Truth;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Counts violations, and tells the whole story of the first ones of each kind. */
final class Findings {
  private static final int STORIES_OF_A_KIND = 5;

  /** A fault may concern what was delivered this long after it. */
  private static final long AFTERMATH = 5_000;

  private final Evidence evidence;
  private final Map<Violation.Kind, Long> counts = new EnumMap<>(Violation.Kind.class);
  private final List<Violation> violations = new ArrayList<>();

  Findings(Evidence evidence) {
    this.evidence = evidence;
  }

  Map<Violation.Kind, Long> counts() {
    return counts;
  }

  List<Violation> violations() {
    return violations;
  }

  void add(Violation.Kind kind, String what) {
    add(kind, what, List.of());
  }

  void add(Violation.Kind kind, String what, UUID id) {
    boolean told = counts.getOrDefault(kind, 0L) >= STORIES_OF_A_KIND;
    add(kind, what + ", message " + id, told ? List.of() : story(id));
  }

  private void add(Violation.Kind kind, String what, List<String> story) {
    long count = counts.merge(kind, 1L, Long::sum);
    if (count <= STORIES_OF_A_KIND) {
      violations.add(new Violation(kind, what, story));
    }
  }

  private List<String> story(UUID id) {
    List<String> story = new ArrayList<>();
    Truth.Committed message = evidence.committed().get(id);
    story.add(
        message == null
            ? "no commit known"
            : "%d commit asked for: %s".formatted(message.askedAt(), message.sent()));
    List<Receipt> receipts =
        evidence.receipts().stream()
            .filter(receipt -> receipt.id().equals(id))
            .sorted(Comparator.comparingLong(Receipt::millis))
            .toList();
    receipts.forEach(receipt -> story.add(receipt.toString()));
    evidence
        .history()
        .rows()
        .dead()
        .forEach(
            (handler, ids) -> {
              if (ids.contains(id)) {
                story.add("a dead letter of \"" + handler + "\"");
              }
            });
    evidence.history().rows().effects().stream()
        .filter(effect -> effect.id().equals(id))
        .forEach(effect -> story.add(effect.toString()));
    evidence.operators().concerning(message).forEach(action -> story.add(action.toString()));
    long last = receipts.isEmpty() ? Long.MAX_VALUE : receipts.get(receipts.size() - 1).millis();
    evidence.faults().stream()
        .filter(fault -> concerns(fault, message, last))
        .forEach(fault -> story.add(Violation.FAULT + fault));
    return story;
  }

  private static boolean concerns(Fault fault, Truth.@Nullable Committed message, long last) {
    return message != null && fault.from() <= last && fault.to() + AFTERMATH >= message.askedAt();
  }
}
