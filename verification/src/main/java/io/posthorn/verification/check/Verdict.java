/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import java.util.List;
import java.util.Map;

/**
 * What a run has shown.
 *
 * @param duplicated deliveries that were repeated, explained or not
 * @param counts violations by kind, also those that are not listed
 * @param violations the first of each kind
 * @param stalls for each kind of fault, the longest wait of a message in milliseconds
 */
public record Verdict(
    long messages,
    long unknownCommits,
    long deadLetters,
    long duplicated,
    Map<Violation.Kind, Long> counts,
    List<Violation> violations,
    Map<Fault.Kind, Long> stalls,
    Map<Fault.Kind, Integer> faults) {

  /** Of a run that could not be carried through. */
  public static Verdict none(String why) {
    Violation violation = new Violation(Violation.Kind.BROKEN_HARNESS, why, List.of());
    return new Verdict(
        0, 0, 0, 0, Map.of(violation.kind(), 1L), List.of(violation), Map.of(), Map.of());
  }

  public boolean kept() {
    return counts.isEmpty();
  }

  public long count(Violation.Kind kind) {
    return counts.getOrDefault(kind, 0L);
  }
}
