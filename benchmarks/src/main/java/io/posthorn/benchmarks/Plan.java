/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks;

import io.posthorn.benchmarks.subject.Subjects;
import io.posthorn.benchmarks.workload.Effort;
import io.posthorn.benchmarks.workload.Workloads;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Who does what, how much and how often.
 *
 * @param messages of the backlogs; null: as the workloads have it
 * @param warmUp at least; zero: none
 * @param cold a fresh JVM for each run
 */
record Plan(
    List<Workloads> workloads,
    Function<Workloads, Set<Subjects>> subjects,
    @Nullable Integer messages,
    Duration duration,
    Duration warmUp,
    boolean cold,
    List<String> jvmOptions,
    int runs) {
  /** A cold JVM's first seconds are spent on its start, whoever uses it. */
  private static final Duration COUNTED_FROM = Duration.ofSeconds(5);

  Effort effort(Workloads workload) {
    return new Effort(
        messages == null ? workload.messages() : messages,
        duration.multipliedBy(workload.durationFactor()).toMillis(),
        cold && !workload.isDrain() ? COUNTED_FROM.toMillis() : 0);
  }

  /** One round of it; of a large backlog a part is enough. */
  Effort warmUp(Workloads workload) {
    Effort whole = effort(workload);
    return new Effort(
        Math.min(whole.messages(), Workloads.W2.messages()),
        Math.min(whole.millis(), warmUp.toMillis()),
        0);
  }

  /** How it was measured, in words for the table. */
  String conditions(Workloads workload) {
    Effort effort = effort(workload);
    return "backlog %,d, %d s, %s%s; medians of %d runs"
        .formatted(
            effort.messages(),
            effort.duration().toSeconds(),
            warmth(workload),
            jvmOptions.isEmpty() ? "" : ", " + String.join(" ", jvmOptions),
            runs);
  }

  private String warmth(Workloads workload) {
    if (!cold) {
      return "JVMs warmed up for %d s".formatted(warmUp.toSeconds());
    }
    return workload.isDrain()
        ? "cold: the first drain of a fresh JVM"
        : "cold: a fresh JVM for each run, counted from its fifth second";
  }
}
