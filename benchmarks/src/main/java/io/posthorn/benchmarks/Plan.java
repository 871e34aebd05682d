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
 */
record Plan(
    List<Workloads> workloads,
    Function<Workloads, Set<Subjects>> subjects,
    @Nullable Integer messages,
    Duration duration,
    Duration warmUp,
    int runs) {

  Effort effort(Workloads workload) {
    return new Effort(
        messages == null ? workload.messages() : messages,
        duration.multipliedBy(workload.durationFactor()).toMillis());
  }

  /** One round of it; of a large backlog a part is enough. */
  Effort warmUp(Workloads workload) {
    Effort whole = effort(workload);
    return new Effort(
        Math.min(whole.messages(), Workloads.W2.messages()),
        Math.min(whole.millis(), warmUp.toMillis()));
  }
}
