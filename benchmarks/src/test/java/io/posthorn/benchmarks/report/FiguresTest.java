/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.benchmarks.subject.Subjects;
import io.posthorn.benchmarks.workload.Outcome;
import io.posthorn.benchmarks.workload.Workloads;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FiguresTest {
  @TempDir private Path directory;

  private final List<Figures> figures = figures(false);

  private static List<Figures> figures(boolean cold) {
    return Figures.of(
        Workloads.W2,
        cold,
        List.of(
            new Figures.Results(
                Subjects.LIMIT,
                Map.of(),
                List.of(run(100, 10, null), run(400, 20, null), run(200, 40, null))),
            new Figures.Results(
                Subjects.LIMIT_LEAN,
                Map.of(),
                List.of(run(180, 10, null), run(500, 10, null), run(200, 10, null))),
            new Figures.Results(
                Subjects.POSTHORN,
                Map.of("batch", "5 < 6"),
                List.of(run(90, 20, null), run(200, 25, "2 messages lost"), run(160, 30, null)))));
  }

  @Test
  void mediansAreOfAllRunsAndRatiosOfPairs() {
    Figures posthorn = figures.get(2);
    assertThat(posthorn.perSecond()).isEqualTo(160);
    assertThat(posthorn.ratioToLimit()).isEqualTo(0.8);
    assertThat(posthorn.ratios().get(Subjects.LIMIT).get("/s"))
        .isEqualTo(new Ratio(0.8, 0.5, 0.9, 3));
    assertThat(posthorn.ratios().get(Subjects.LIMIT_LEAN))
        .containsEntry("/s", new Ratio(0.5, 0.4, 0.8, 3))
        .containsEntry("JVM µs", new Ratio(2.5, 2, 3, 3))
        .doesNotContainKeys("p50", "added µs");
    assertThat(figures.get(0).ratioToLimit()).isEqualTo(1);
  }

  @Test
  void medianOfAnEvenNumberIsBetweenTheMiddleTwo() {
    assertThat(Ratio.median(List.of(4.0, Double.NaN, 1.0, 2.0, 3.0))).isEqualTo(2.5);
    assertThat(Ratio.median(List.of(Double.NaN))).isNull();
  }

  @Test
  void oneFailedRunFailsAll() {
    assertThat(figures.get(2).failed()).isEqualTo("2 messages lost");
    assertThat(figures.get(0).failed()).isNull();
  }

  @Test
  void tableShowsSubjectsWithTheirSettingsAndProcessorTime() {
    String table = new TextTable(Workloads.W2, "backlog 5,000, cold", figures).toString();
    assertThat(table)
        .contains("w2 drain (backlog 5,000, cold)", "| JVM µs | server µs |")
        .containsPattern("\\| posthorn +\\| 160 +\\| 0.80 +\\| - .*\\| 25.00 +\\|.*2 messages lost")
        .containsPattern("\\| posthorn +\\| limit-lean \\| 0.50 \\(0.40–0.80\\) ")
        .contains("batch=5 < 6");
  }

  @Test
  void chartIsAnXmlDocument() throws Exception {
    new Charts(directory).write(figures);
    assertThat(xml(Files.readString(directory.resolve("w2.svg"))))
        .contains("posthorn", "160", "(failed)");
    new Charts(directory).write(figures(true));
    assertThat(directory.resolve("w2-cold.svg")).content().contains("drain, cold");
  }

  @Test
  void overviewJoinsColdAndWarmFiguresOfJsonFiles() throws Exception {
    Path warm = directory.resolve("warm.json");
    Path cold = directory.resolve("cold.json");
    new JsonReport(warm).write(figures);
    new JsonReport(cold).write(figures(true).subList(0, 1));
    Overview overview = Overview.read(List.of(warm, cold));

    assertThat(overview.table())
        .containsPattern("\\| limit +\\| - / - .*\\| 200 / 200 ")
        .containsPattern("\\| limit-lean +\\| - / - .*\\| - / 200 ")
        .doesNotContain("posthorn"); // it has failed
    assertThat(xml(overview.picture())).contains("limit-lean", ">200<");
  }

  private static String xml(String text) throws Exception {
    DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(text.getBytes(UTF_8)));
    return text;
  }

  private static Outcome run(double perSecond, double jvmMicros, @Nullable String failed) {
    return new Outcome(
        perSecond, null, null, null, 0, 0, 0, failed, Map.of(Outcome.JVM_MICROS, jvmMicros));
  }
}
