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

  public boolean kept() {
    return counts.isEmpty();
  }

  public long count(Violation.Kind kind) {
    return counts.getOrDefault(kind, 0L);
  }
}
