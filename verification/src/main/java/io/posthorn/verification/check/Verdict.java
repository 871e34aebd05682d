/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.stream.Stream;

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

  /** Before anything was done. */
  public static final Verdict NOTHING =
      new Verdict(0, 0, 0, 0, Map.of(), List.of(), Map.of(), Map.of());

  /** Of a run that could not be carried through. */
  public static Verdict none(String why) {
    Violation violation = new Violation(Violation.Kind.BROKEN_HARNESS, why, List.of());
    return new Verdict(
        0, 0, 0, 0, Map.of(violation.kind(), 1L), List.of(violation), Map.of(), Map.of());
  }

  /** What two parts of a run have shown together. */
  public Verdict and(Verdict later) {
    return new Verdict(
        messages + later.messages,
        unknownCommits + later.unknownCommits,
        deadLetters + later.deadLetters,
        duplicated + later.duplicated,
        merged(counts, later.counts, Long::sum),
        Stream.concat(violations.stream(), later.violations.stream()).toList(),
        merged(stalls, later.stalls, Math::max),
        merged(faults, later.faults, Integer::sum));
  }

  private static <K extends Comparable<K>, V> Map<K, V> merged(
      Map<K, V> one, Map<K, V> other, BinaryOperator<V> how) {
    Map<K, V> both = new TreeMap<>(one);
    other.forEach((key, value) -> both.merge(key, value, how));
    return both;
  }

  /** The same, and figures that have drifted. */
  public Verdict drifting(List<String> figures) {
    if (figures.isEmpty()) {
      return this;
    }
    List<Violation> drifts =
        figures.stream()
            .map(figure -> new Violation(Violation.Kind.DRIFT, figure, List.of()))
            .toList();
    Map<Violation.Kind, Long> count = Map.of(Violation.Kind.DRIFT, (long) drifts.size());
    return and(new Verdict(0, 0, 0, 0, count, drifts, Map.of(), Map.of()));
  }

  public boolean kept() {
    return counts.isEmpty();
  }

  public long count(Violation.Kind kind) {
    return counts.getOrDefault(kind, 0L);
  }
}
