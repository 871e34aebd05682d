/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.soak;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Figures over time: a line of a file for each sample, and a table of how they changed. */
final class SoakReport {
  private final Path file;
  private final Map<Figure, List<Double>> series = new EnumMap<>(Figure.class);

  SoakReport(Path file) throws IOException {
    this.file = file;
    for (Figure figure : Figure.values()) {
      series.put(figure, new ArrayList<>());
    }
    append(
        "seconds,"
            + Arrays.stream(Figure.values()).map(Figure::label).collect(Collectors.joining(",")));
  }

  /**
   * @param sample what could be measured; the database may be away
   */
  void add(long seconds, Map<Figure, Double> sample) throws IOException {
    sample.forEach((figure, value) -> series(figure).add(value));
    append(
        seconds
            + ","
            + Arrays.stream(Figure.values())
                .map(figure -> sample.containsKey(figure) ? text(sample.get(figure)) : "")
                .collect(Collectors.joining(",")));
  }

  private List<Double> series(Figure figure) {
    return series.computeIfAbsent(figure, any -> new ArrayList<>());
  }

  private void append(String line) throws IOException {
    Files.writeString(file, line + "\n", UTF_8, CREATE, APPEND);
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  /** Figures that drift, with the medians of the thirds. */
  List<String> drifts() {
    return series.entrySet().stream()
        .filter(entry -> entry.getKey().drift().of(entry.getValue()))
        .map(entry -> cells(entry.getKey(), entry.getValue()))
        .map(cells -> "%s: %s, then %s, then %s".formatted(cells.toArray()))
        .toList();
  }

  /** In Markdown. */
  String table() {
    StringBuilder table =
        new StringBuilder("| figure | first third | second | last | |\n|---|---|---|---|---|\n");
    series.forEach(
        (figure, values) -> {
          if (Drift.canTell(values)) {
            table.append("| ").append(String.join(" | ", cells(figure, values)));
            table.append(figure.drift().of(values) ? " | DRIFT |\n" : " | |\n");
          }
        });
    return table.toString();
  }

  private static List<String> cells(Figure figure, List<Double> values) {
    Drift.Thirds thirds = Drift.thirds(values);
    return List.of(
        figure.label(), text(thirds.first()), text(thirds.second()), text(thirds.last()));
  }
}
