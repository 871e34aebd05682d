/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a newcomer wants to know of several runs of the bench, cold and warm: one table and one
 * picture. What was not measured is a dash.
 */
public final class Overview {
  private static final int LABEL_WIDTH = 150;
  private static final int BAR_WIDTH = 330;
  private static final int BAR_HEIGHT = 9;
  private static final int ROW_HEIGHT = 26;
  private static final int PANEL_HEAD = 50;

  /** A column: a figure of a workload, which is a field of its JSON or of what is {@code more}. */
  private enum Column {
    STEADY("w1", "perSecond", "commits/s of 16 writers, relay on"),
    LATENCY("w1", "p50ms", "commit to handler, p50 ms"),
    DRAIN("w2", "perSecond", "messages/s from a backlog of 100,000"),
    IDLE("w3", "p50ms", "idle system, p50 ms"),
    PROCESSOR("w1", "jvmMicros", "JVM µs per message");

    private final String workload;
    private final String figure;
    private final String title;

    Column(String workload, String figure, String title) {
      this.workload = workload;
      this.figure = figure;
      this.title = title;
    }

    /** What identifies a figure of a subject. */
    String key(boolean cold) {
      return name() + (cold ? " cold" : " warm");
    }
  }

  private final Map<String, Map<String, Double>> subjects = new LinkedHashMap<>();

  private Overview() {}

  /** Of files that {@link JsonReport} has written; where two have a figure, the later counts. */
  public static Overview read(List<Path> files) throws IOException {
    Overview overview = new Overview();
    for (Path file : files) {
      JsonMapper.shared().readTree(file.toFile()).forEach(overview::add);
    }
    return overview;
  }

  private void add(JsonNode figures) {
    if (figures.get("failed").asBoolean()) {
      return;
    }
    for (Column column : Column.values()) {
      JsonNode figure = figures.get(column.figure);
      JsonNode value = figure == null ? figures.get("more").get(column.figure) : figure;
      if (column.workload.equals(figures.get("workload").asString())
          && value != null
          && value.isNumber()) {
        subjects
            .computeIfAbsent(figures.get("subject").asString(), it -> new LinkedHashMap<>())
            .put(column.key(figures.get("cold").asBoolean()), value.asDouble());
      }
    }
  }

  /** In Markdown; each cell has the cold figure and the warm one. */
  public String table() {
    List<List<String>> rows = new ArrayList<>();
    List<String> head = new ArrayList<>(List.of("cold / warm"));
    for (Column column : Column.values()) {
      head.add(column.title);
    }
    rows.add(head);
    subjects.forEach(
        (subject, figures) -> {
          List<String> row = new ArrayList<>(List.of(subject));
          for (Column column : Column.values()) {
            row.add(
                TextTable.number(figures.get(column.key(true)))
                    + " / "
                    + TextTable.number(figures.get(column.key(false))));
          }
          rows.add(row);
        });
    StringBuilder text = new StringBuilder();
    TextTable.append(text, rows);
    return text.toString();
  }

  /** An SVG with the rates: for each subject a bar for cold and one for warm. */
  public String picture() {
    int panel = PANEL_HEAD + subjects.size() * ROW_HEIGHT;
    StringBuilder svg = new StringBuilder();
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %1$d %2$d" font-family="sans-serif" font-size="12">
        <rect width="100%%" height="100%%" fill="#ffffff"/>
        """
            .formatted(LABEL_WIDTH + BAR_WIDTH + 90, 2 * panel + 30));
    appendPanel(svg, Column.STEADY, 0);
    appendPanel(svg, Column.DRAIN, panel);
    svg.append(
        "<text x=\"10\" y=\"%d\" fill=\"#555555\">light: cold, a fresh JVM; dark: warm. More is better.</text>\n"
            .formatted(2 * panel + 18));
    return svg.append("</svg>\n").toString();
  }

  private void appendPanel(StringBuilder svg, Column column, int top) {
    svg.append(
        "<text x=\"10\" y=\"%d\" font-size=\"15\" font-weight=\"bold\">%s</text>\n"
            .formatted(top + 28, column.title));
    double longest =
        subjects.values().stream()
            .flatMap(it -> Stream.of(it.get(column.key(true)), it.get(column.key(false))))
            .filter(Objects::nonNull)
            .mapToDouble(it -> it)
            .max()
            .orElse(1);
    int y = top + PANEL_HEAD - 8;
    for (Map.Entry<String, Map<String, Double>> subject : subjects.entrySet()) {
      svg.append(
          "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n"
              .formatted(LABEL_WIDTH - 10, y + 13, subject.getKey()));
      String color = color(subject.getKey());
      appendBar(svg, subject.getValue().get(column.key(true)), longest, y, color, 0.45);
      appendBar(
          svg, subject.getValue().get(column.key(false)), longest, y + BAR_HEIGHT + 1, color, 1);
      y += ROW_HEIGHT;
    }
  }

  private static void appendBar(
      StringBuilder svg,
      @Nullable Double value,
      double longest,
      int y,
      String color,
      double opacity) {
    if (value == null) {
      return;
    }
    double length = value / longest * BAR_WIDTH;
    svg.append(
        String.format(
            Locale.ROOT,
            """
            <rect x="%d" y="%d" width="%.1f" height="%d" fill="%s" fill-opacity="%.2f"/>
            <text x="%.1f" y="%d" font-size="10">%s</text>
            """,
            LABEL_WIDTH,
            y,
            length,
            BAR_HEIGHT,
            color,
            opacity,
            LABEL_WIDTH + length + 5,
            y + BAR_HEIGHT,
            TextTable.number(value)));
  }

  private static String color(String subject) {
    if (subject.startsWith("posthorn")) {
      return "#c8102e";
    }
    return subject.startsWith("limit") ? "#333333" : "#5f7a92";
  }
}
