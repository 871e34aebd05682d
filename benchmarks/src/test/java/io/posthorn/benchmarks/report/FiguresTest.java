/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.benchmarks.subject.Subjects;
import io.posthorn.benchmarks.workload.Effort;
import io.posthorn.benchmarks.workload.Outcome;
import io.posthorn.benchmarks.workload.Workloads;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FiguresTest {
  private final List<Figures> figures =
      Figures.of(
          Workloads.W2,
          List.of(
              new Figures.Results(
                  Subjects.LIMIT,
                  Map.of(),
                  List.of(run(100, null), run(400, null), run(200, null))),
              new Figures.Results(
                  Subjects.POSTHORN,
                  Map.of("batch", "5 < 6"),
                  List.of(run(90, null), run(200, "2 messages lost"), run(160, null)))));

  @Test
  void mediansAreOfAllRunsAndRatiosOfPairs() {
    assertThat(figures.get(1).perSecond()).isEqualTo(160);
    assertThat(figures.get(1).ratioToLimit()).isEqualTo(0.8);
    assertThat(figures.get(0).ratioToLimit()).isEqualTo(1);
  }

  @Test
  void oneFailedRunFailsAll() {
    assertThat(figures.get(1).failed()).isEqualTo("2 messages lost");
    assertThat(figures.get(0).failed()).isNull();
  }

  @Test
  void tableShowsSubjectsWithTheirSettings() {
    String table = new TextTable(Workloads.W2, new Effort(5_000, 2_000), figures).toString();
    assertThat(table).contains("| posthorn | 160", "2 messages lost", "batch=5 < 6", "5,000");
  }

  @Test
  void chartIsAnXmlDocument(@TempDir Path directory) throws Exception {
    new Charts(directory).write(figures);
    Path chart = directory.resolve("w2.svg");
    assertThat(DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(chart.toFile()))
        .isNotNull();
    assertThat(Files.readString(chart)).contains("posthorn", "160", "(failed)");
  }

  private static Outcome run(double perSecond, @Nullable String failed) {
    return new Outcome(perSecond, null, null, null, 0, 0, 0, failed, Map.of());
  }
}
