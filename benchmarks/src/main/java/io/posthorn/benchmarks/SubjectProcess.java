/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks;

import io.posthorn.benchmarks.subject.Subjects;
import io.posthorn.benchmarks.workload.ChildJvm;
import io.posthorn.benchmarks.workload.Effort;
import io.posthorn.benchmarks.workload.Outcome;
import io.posthorn.benchmarks.workload.Workload.Progress;
import io.posthorn.benchmarks.workload.Workloads;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** A {@link SubjectMain}, seen from the command. */
final class SubjectProcess implements AutoCloseable {
  /** Beyond the time that the work itself takes: filling tables, catching up. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final ChildJvm child;
  private @Nullable Map<String, String> settings;

  private SubjectProcess(ChildJvm child) {
    this.child = child;
  }

  static SubjectProcess start(
      Subjects subject, Workloads workload, String url, List<String> jvmOptions, Path log)
      throws IOException {
    List<String> options = new ArrayList<>(jvmOptions);
    options.add("-Xmx" + workload.heap());
    ChildJvm child =
        ChildJvm.start(SubjectMain.class, List.of(subject.label(), workload.name()), options, log);
    child.send(url);
    return new SubjectProcess(child);
  }

  /** In its own words; known after the first run. */
  Map<String, String> settings() {
    return settings == null ? Map.of() : settings;
  }

  /** Does what the work begins with, such as filling a backlog, for another process to find. */
  Outcome prepare(Effort effort, Progress progress) throws InterruptedException {
    return ask(SubjectMain.PREPARE, effort, progress);
  }

  /** A process that ends or does not answer is a failed run. */
  Outcome run(Effort effort, Progress progress) throws InterruptedException {
    return ask("", effort, progress);
  }

  private Outcome ask(String what, Effort effort, Progress progress) throws InterruptedException {
    try {
      child.send(what + JsonMapper.shared().writeValueAsString(effort));
      long end = System.nanoTime() + PATIENCE.plus(effort.duration().multipliedBy(2)).toNanos();
      while (System.nanoTime() < end) {
        String line = child.poll(Duration.ofSeconds(1));
        if (line == null) {
          continue;
        }
        if (line.startsWith(SubjectMain.RESULT)) {
          return JsonMapper.shared()
              .readValue(line.substring(SubjectMain.RESULT.length()), Outcome.class);
        }
        if (line.startsWith(SubjectMain.SETTINGS)) {
          settings =
              JsonMapper.shared()
                  .readValue(
                      line.substring(SubjectMain.SETTINGS.length()), new TypeReference<>() {});
        } else {
          progress.say(line.substring(SubjectMain.PROGRESS.length()));
        }
      }
      child.kill();
      return Outcome.failed("no result within " + PATIENCE + " beyond the work");
    } catch (IOException e) {
      return Outcome.failed(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void close() {
    child.close();
  }
}
