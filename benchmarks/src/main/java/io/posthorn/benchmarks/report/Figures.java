/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.report;

import io.posthorn.benchmarks.subject.Subjects;
import io.posthorn.benchmarks.workload.Outcome;
import io.posthorn.benchmarks.workload.Workloads;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A subject's medians in a workload.
 *
 * @param ratioToLimit the median of the ratios run by run: of the rates, or of the p50 where the
 *     workload is about latency; null without the limit
 * @param lost the sum of all runs, as the two that follow
 * @param failed what the failed runs said, or null
 * @param runs as they were measured
 */
public record Figures(
    Subjects subject,
    Workloads workload,
    Map<String, String> settings,
    @Nullable Double perSecond,
    @Nullable Double p50ms,
    @Nullable Double p95ms,
    @Nullable Double p99ms,
    @Nullable Double ratioToLimit,
    long lost,
    long duplicated,
    long outOfOrder,
    @Nullable String failed,
    Map<String, Double> more,
    List<Outcome> runs) {

  /** What a subject's runs of a workload gave. */
  public record Results(Subjects subject, Map<String, String> settings, List<Outcome> runs) {}

  public static List<Figures> of(Workloads workload, List<Results> results) {
    return results.stream()
        .map(it -> of(workload, it, runsOf(it.subject.limit(), results)))
        .toList();
  }

  private static List<Outcome> runsOf(Subjects subject, List<Results> results) {
    return results.stream()
        .filter(it -> it.subject == subject)
        .map(Results::runs)
        .findFirst()
        .orElse(List.of());
  }

  private static Figures of(Workloads workload, Results results, List<Outcome> limit) {
    List<Outcome> runs = results.runs;
    String failures =
        runs.stream()
            .map(Outcome::failed)
            .filter(Objects::nonNull)
            .collect(Collectors.joining("; "));
    return new Figures(
        results.subject,
        workload,
        results.settings,
        median(runs, Outcome::perSecond),
        median(runs, Outcome::p50ms),
        median(runs, Outcome::p95ms),
        median(runs, Outcome::p99ms),
        ratio(workload, runs, limit),
        runs.stream().mapToLong(Outcome::lost).sum(),
        runs.stream().mapToLong(Outcome::duplicated).sum(),
        runs.stream().mapToLong(Outcome::outOfOrder).sum(),
        failures.isEmpty() ? null : failures,
        more(runs),
        runs);
  }

  private static @Nullable Double ratio(
      Workloads workload, List<Outcome> runs, List<Outcome> limit) {
    Function<Outcome, @Nullable Double> figure =
        workload == Workloads.W3 ? Outcome::p50ms : Outcome::perSecond;
    List<Double> ratios = new ArrayList<>();
    for (int run = 0; run < Math.min(runs.size(), limit.size()); run++) {
      Double ours = figure.apply(runs.get(run));
      Double theirs = figure.apply(limit.get(run));
      if (ours != null && theirs != null) {
        ratios.add(ours / theirs);
      }
    }
    return median(ratios);
  }

  private static Map<String, Double> more(List<Outcome> runs) {
    Set<String> names = new LinkedHashSet<>();
    runs.forEach(run -> names.addAll(run.more().keySet()));
    Map<String, Double> more = new LinkedHashMap<>();
    for (String name : names) {
      Double median = median(runs, run -> run.more().get(name));
      if (median != null) {
        more.put(name, median);
      }
    }
    return more;
  }

  private static @Nullable Double median(
      List<Outcome> runs, Function<Outcome, @Nullable Double> figure) {
    return median(runs.stream().map(figure).filter(Objects::nonNull).toList());
  }

  private static @Nullable Double median(List<Double> values) {
    List<Double> sorted = values.stream().filter(value -> !value.isNaN()).sorted().toList();
    if (sorted.isEmpty()) {
      return null;
    }
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
