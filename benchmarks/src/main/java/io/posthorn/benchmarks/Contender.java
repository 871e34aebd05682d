/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks;

import io.posthorn.benchmarks.report.Figures.Results;
import io.posthorn.benchmarks.subject.Subjects;
import io.posthorn.benchmarks.workload.Effort;
import io.posthorn.benchmarks.workload.Outcome;
import io.posthorn.benchmarks.workload.Workloads;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A subject at a workload, with its database, and a process while one is needed. */
final class Contender {
  private final Subjects subject;
  private final Workloads workload;
  private final String url;
  private final List<String> jvmOptions;
  private final Path log;
  private final ProgressLine line;
  private final List<Outcome> outcomes = new ArrayList<>();
  private Map<String, String> settings = Map.of();
  private @Nullable SubjectProcess process;

  Contender(
      Subjects subject,
      Workloads workload,
      String url,
      List<String> jvmOptions,
      Path log,
      ProgressLine line) {
    this.subject = subject;
    this.workload = workload;
    this.url = url;
    this.jvmOptions = jvmOptions;
    this.log = log;
    this.line = line;
  }

  /** In a process that ends with it, so that the next one has not done it. */
  void prepare(Effort effort) throws IOException, InterruptedException {
    String what = show("preparation");
    process().prepare(effort, text -> line.show(what + text));
    endProcess();
  }

  /** Again and again until the time is over: a drain may take less than the compiler needs. */
  void warmUp(Duration time, Effort effort) throws IOException, InterruptedException {
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < time.toNanos()) {
      String what = show("warm-up");
      process().run(effort, text -> line.show(what + text));
    }
  }

  void run(Effort effort, String turn) throws IOException, InterruptedException {
    String what = show(turn);
    outcomes.add(process().run(effort, text -> line.show(what + text)));
    settings = process().settings();
  }

  private String show(String turn) {
    String what = workload.label() + " " + subject.label() + ", " + turn;
    line.show(what);
    return what + ": ";
  }

  private SubjectProcess process() throws IOException {
    if (process == null) {
      process = SubjectProcess.start(subject, workload, url, jvmOptions, log);
    }
    return process;
  }

  void endProcess() {
    if (process != null) {
      process.close();
      process = null;
    }
  }

  Results results() {
    return new Results(subject, settings, outcomes);
  }
}
