/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.broken;

import io.posthorn.verification.check.Verdict;
import io.posthorn.verification.check.Violation;
import io.posthorn.verification.fleet.ClassPath;
import io.posthorn.verification.scenario.Scenarios;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Runs broken engines until they are found out, or the seeds are used up. */
public final class BrokenRuns {
  /** One scenario with one seed. */
  @FunctionalInterface
  public interface Run {
    Verdict run(Scenarios scenario, long seed) throws InterruptedException;
  }

  private final Run run;
  private final long firstSeed;
  private final int seeds;
  private final Consumer<String> progress;
  private final List<String> lines = new ArrayList<>();
  private boolean allFound = true;

  public BrokenRuns(Run run, long firstSeed, int seeds, Consumer<String> progress) {
    this.run = run;
    this.firstSeed = firstSeed;
    this.seeds = seeds;
    this.progress = progress;
  }

  /**
   * @param scenarios one seed of each after the other
   */
  public void find(BrokenEngine broken, List<Scenarios> scenarios)
      throws IOException, InterruptedException {
    Path classes = Files.createTempDirectory("posthorn-broken-");
    broken.writeTo(classes);
    ClassPath.beginsWith(classes);
    try {
      note(broken, scenarios, find(broken.signs(), scenarios));
    } finally {
      ClassPath.beginsWith(null);
    }
  }

  /** The run that found it. */
  private record Found(Scenarios scenario, long seeds, Verdict verdict) {}

  private List<Found> find(Set<Violation.Kind> signs, List<Scenarios> scenarios)
      throws InterruptedException {
    for (int tried = 0; tried < seeds; tried++) {
      for (Scenarios scenario : scenarios) {
        Verdict verdict = run.run(scenario, firstSeed + tried);
        if (verdict.counts().keySet().stream().anyMatch(signs::contains)) {
          return List.of(new Found(scenario, tried + 1, verdict));
        }
        if (!verdict.kept()) {
          progress.accept("not a sign of it: " + counts(verdict));
        }
      }
    }
    return List.of();
  }

  private void note(BrokenEngine broken, List<Scenarios> scenarios, List<Found> found) {
    allFound &= !found.isEmpty();
    String line =
        found.isEmpty()
            ? row(broken, names(scenarios), "not within " + seeds, "")
            : row(
                broken,
                "`" + found.get(0).scenario.label() + "`",
                Long.toString(found.get(0).seeds),
                counts(found.get(0).verdict));
    lines.add(line);
    progress.accept(line);
  }

  private static String row(BrokenEngine broken, String scenario, String seeds, String what) {
    return "| %d | `%s` | %s | %s | %s | %s |"
        .formatted(broken.promise(), broken.label(), broken.title(), scenario, seeds, what);
  }

  private static String names(List<Scenarios> scenarios) {
    return scenarios.stream().map(it -> "`" + it.label() + "`").collect(Collectors.joining(", "));
  }

  private static String counts(Verdict verdict) {
    return verdict.counts().entrySet().stream()
        .map(entry -> entry.getValue() + " " + entry.getKey().label())
        .collect(Collectors.joining(", "));
  }

  public boolean allFound() {
    return allFound;
  }

  /** In Markdown. */
  public String table() {
    return "| promise | variant | what is done wrong | found by | seeds | what was found |\n"
        + "|---|---|---|---|---|---|\n"
        + String.join("\n", lines);
  }
}
