/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.report;

import io.posthorn.benchmarks.subject.Subjects;
import io.posthorn.benchmarks.workload.Outcome;
import io.posthorn.benchmarks.workload.Workloads;
import java.util.ArrayList;
import java.util.EnumMap;
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
 * @param cold whether each run had a fresh JVM
 * @param ratios to each limit of the same run of the bench, by figure
 * @param lost the sum of all runs, as the two that follow
 * @param failed what the failed runs said, or null
 * @param runs as they were measured
 */
public record Figures(
    Subjects subject,
    Workloads workload,
    boolean cold,
    Map<String, String> settings,
    @Nullable Double perSecond,
    @Nullable Double p50ms,
    @Nullable Double p95ms,
    @Nullable Double p99ms,
    Map<Subjects, Map<String, Ratio>> ratios,
    long lost,
    long duplicated,
    long outOfOrder,
    @Nullable String failed,
    Map<String, Double> more,
    List<Outcome> runs) {

  /** Of which figures there are ratios, by their names in the table. */
  static final Map<String, Function<Outcome, @Nullable Double>> COMPARED = new LinkedHashMap<>();

  static {
    COMPARED.put("/s", Outcome::perSecond);
    COMPARED.put("p50", Outcome::p50ms);
    COMPARED.put("p99", Outcome::p99ms);
    COMPARED.put("JVM µs", run -> run.more().get(Outcome.JVM_MICROS));
    COMPARED.put("server µs", run -> run.more().get(Outcome.SERVER_MICROS));
    COMPARED.put("added µs", run -> run.more().get(Outcome.ADDED_MICROS));
  }

  /** What a subject's runs of a workload gave. */
  public record Results(Subjects subject, Map<String, String> settings, List<Outcome> runs) {}

  public static List<Figures> of(Workloads workload, boolean cold, List<Results> results) {
    Map<Subjects, List<Outcome>> runs = new EnumMap<>(Subjects.class);
    results.forEach(it -> runs.put(it.subject, it.runs));
    return results.stream().map(it -> of(workload, cold, it, runs)).toList();
  }

  private static Figures of(
      Workloads workload, boolean cold, Results results, Map<Subjects, List<Outcome>> all) {
    List<Outcome> runs = results.runs;
    String failures =
        runs.stream()
            .map(Outcome::failed)
            .filter(Objects::nonNull)
            .collect(Collectors.joining("; "));
    Map<Subjects, Map<String, Ratio>> ratios = new EnumMap<>(Subjects.class);
    for (Subjects limit : results.subject.limits()) {
      if (all.containsKey(limit)) {
        ratios.put(limit, ratios(runs, all.get(limit)));
      }
    }
    return new Figures(
        results.subject,
        workload,
        cold,
        results.settings,
        median(runs, Outcome::perSecond),
        median(runs, Outcome::p50ms),
        median(runs, Outcome::p95ms),
        median(runs, Outcome::p99ms),
        ratios,
        runs.stream().mapToLong(Outcome::lost).sum(),
        runs.stream().mapToLong(Outcome::duplicated).sum(),
        runs.stream().mapToLong(Outcome::outOfOrder).sum(),
        failures.isEmpty() ? null : failures,
        more(runs),
        runs);
  }

  private static Map<String, Ratio> ratios(List<Outcome> runs, List<Outcome> limit) {
    Map<String, Ratio> ratios = new LinkedHashMap<>();
    COMPARED.forEach(
        (name, figure) -> {
          List<Double> pairs = new ArrayList<>();
          for (int run = 0; run < Math.min(runs.size(), limit.size()); run++) {
            Double ours = figure.apply(runs.get(run));
            Double theirs = figure.apply(limit.get(run));
            if (ours != null && theirs != null && Double.isFinite(ours / theirs)) {
              pairs.add(ours / theirs);
            }
          }
          Ratio ratio = Ratio.of(pairs);
          if (ratio != null) {
            ratios.put(name, ratio);
          }
        });
    return ratios;
  }

  /**
   * The ratio of what the workload is about, the rate or in W3 the p50, to the first limit that ran
   * beside it.
   */
  @Nullable Double ratioToLimit() {
    return ratios.values().stream()
        .map(it -> it.get(workload == Workloads.W3 ? "p50" : "/s"))
        .filter(Objects::nonNull)
        .map(Ratio::median)
        .findFirst()
        .orElse(null);
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
    List<@Nullable Double> values = new ArrayList<>();
    runs.forEach(run -> values.add(figure.apply(run)));
    return Ratio.median(values);
  }
}
