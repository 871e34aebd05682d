/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.benchmarks.subject.Subjects;
import io.posthorn.benchmarks.workload.Effort;
import io.posthorn.benchmarks.workload.Outcome;
import io.posthorn.benchmarks.workload.Stage;
import io.posthorn.benchmarks.workload.Workload;
import io.posthorn.benchmarks.workload.Workloads;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import tools.jackson.databind.json.JsonMapper;

/**
 * One subject with one workload in a JVM of its own. Standard input brings the URL, then one effort
 * a line; each is answered by a line with the outcome, and by lines of progress before it. It ends
 * with its standard input.
 */
final class SubjectMain {
  static final String PREPARE = "prepare ";
  static final String RESULT = "result ";
  static final String SETTINGS = "settings ";
  static final String PROGRESS = "progress ";

  private SubjectMain() {}

  /**
   * @param arguments the subject and the workload
   */
  public static void main(String[] arguments) throws Exception {
    PrintStream answers = System.out;
    System.setOut(System.err); // libraries may print what they like
    JsonMapper json = JsonMapper.shared();
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    Subjects subject = Subjects.named(arguments[0]).orElseThrow();
    Workload workload = Workloads.valueOf(arguments[1]).create();
    try (Stage stage = Stage.open(subject, input.readLine())) {
      answers.println(SETTINGS + json.writeValueAsString(stage.subject().settings()));
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        boolean prepare = line.startsWith(PREPARE);
        Effort effort =
            json.readValue(line.substring(prepare ? PREPARE.length() : 0), Effort.class);
        Outcome outcome = run(stage, prepare ? preparation(workload) : workload, effort, answers);
        answers.println(RESULT + json.writeValueAsString(outcome));
      }
    }
    System.exit(0); // whatever threads a library has left
  }

  private static Workload preparation(Workload workload) {
    return (stage, effort, progress) -> {
      workload.prepare(stage, effort, progress);
      return Outcome.nothing();
    };
  }

  private static Outcome run(Stage stage, Workload workload, Effort effort, PrintStream answers) {
    try {
      return workload.run(stage, effort, text -> answers.println(PROGRESS + text));
    } catch (Exception e) {
      e.printStackTrace();
      return Outcome.failed(e.toString());
    }
  }
}
