/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks;

import io.posthorn.benchmarks.report.Figures;
import io.posthorn.benchmarks.report.Figures.Results;
import io.posthorn.benchmarks.report.TextTable;
import io.posthorn.benchmarks.subject.Subjects;
import io.posthorn.benchmarks.workload.Effort;
import io.posthorn.benchmarks.workload.Outcome;
import io.posthorn.benchmarks.workload.Workloads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Carries a plan out. Each subject has a JVM and a database for a workload, warmed up once; then
 * the subjects take turns, so that the machine's moods meet all of them.
 */
final class Session {
  private final BenchServer server;
  private final Plan plan;
  private final ProgressLine line = new ProgressLine();

  Session(BenchServer server, Plan plan) {
    this.server = server;
    this.plan = plan;
  }

  List<Figures> run() throws Exception {
    List<Figures> all = new ArrayList<>();
    Path logs = Files.createTempDirectory("posthorn-bench-logs-");
    for (Workloads workload : plan.workloads()) {
      if (plan.subjects().apply(workload).isEmpty()) {
        System.out.println(workload.label() + ": none of the subjects can do it");
        continue;
      }
      List<Figures> figures = measure(workload, logs);
      line.clear();
      System.out.println(new TextTable(workload, plan.effort(workload), figures));
      all.addAll(figures);
    }
    System.out.println("logs: " + logs);
    return all;
  }

  private List<Figures> measure(Workloads workload, Path logs) throws Exception {
    List<Contender> contenders = new ArrayList<>();
    try {
      for (Subjects subject : plan.subjects().apply(workload)) {
        Contender contender = new Contender(subject, start(subject, workload, logs));
        contenders.add(contender);
        warmUp(contender, workload);
      }
      for (int run = 1; run <= plan.runs(); run++) {
        for (Contender contender : contenders) {
          String turn = "run " + run + " of " + plan.runs();
          contender.outcomes.add(run(contender, workload, plan.effort(workload), turn));
        }
      }
      return Figures.of(
          workload,
          contenders.stream()
              .map(it -> new Results(it.subject, it.process.settings(), it.outcomes))
              .toList());
    } finally {
      contenders.forEach(contender -> contender.process.close());
      server.dropAll();
    }
  }

  /** Again and again until the time is over: a drain may take less than the compiler needs. */
  private void warmUp(Contender contender, Workloads workload) throws InterruptedException {
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < plan.warmUp().toNanos()) {
      run(contender, workload, plan.warmUp(workload), "warm-up");
    }
  }

  private record Contender(Subjects subject, SubjectProcess process, List<Outcome> outcomes) {
    Contender(Subjects subject, SubjectProcess process) {
      this(subject, process, new ArrayList<>());
    }
  }

  private SubjectProcess start(Subjects subject, Workloads workload, Path logs)
      throws IOException, SQLException {
    String name = workload.label() + "-" + subject.label();
    return SubjectProcess.start(
        subject, workload, server.createDatabase(name), logs.resolve(name + ".log"));
  }

  private Outcome run(Contender contender, Workloads workload, Effort effort, String turn)
      throws InterruptedException {
    String what = workload.label() + " " + contender.subject.label() + ", " + turn;
    line.show(what);
    return contender.process.run(effort, text -> line.show(what + ": " + text));
  }
}
