/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks;

import io.posthorn.benchmarks.report.Figures;
import io.posthorn.benchmarks.report.TextTable;
import io.posthorn.benchmarks.subject.Subjects;
import io.posthorn.benchmarks.workload.Workloads;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Carries a plan out. Each subject has a database for a workload, and a JVM that is warmed up once
 * or, cold, a JVM for each run; the subjects take turns, so that the machine's moods meet all of
 * them.
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
      System.out.println(new TextTable(workload, plan.conditions(workload), figures));
      all.addAll(figures);
    }
    System.out.println("logs: " + logs);
    return all;
  }

  private List<Figures> measure(Workloads workload, Path logs) throws Exception {
    List<Contender> contenders = new ArrayList<>();
    try {
      for (Subjects subject : plan.subjects().apply(workload)) {
        String name = workload.label() + "-" + subject.label();
        Path log = logs.resolve(name + ".log");
        Contender contender =
            new Contender(
                subject, workload, server.createDatabase(name), plan.jvmOptions(), log, line);
        contenders.add(contender);
        if (!plan.cold()) {
          contender.warmUp(plan.warmUp(), plan.warmUp(workload));
        } else if (workload.isDrain()) {
          contender.prepare(plan.effort(workload));
        }
      }
      for (int run = 1; run <= plan.runs(); run++) {
        for (Contender contender : contenders) {
          contender.run(plan.effort(workload), "run " + run + " of " + plan.runs());
          if (plan.cold()) {
            contender.endProcess();
          }
        }
      }
      return Figures.of(
          workload, plan.cold(), contenders.stream().map(Contender::results).toList());
    } finally {
      contenders.forEach(Contender::endProcess);
      server.dropAll();
    }
  }
}
