/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.report;

import io.posthorn.benchmarks.workload.Outcome;
import io.posthorn.benchmarks.workload.Workloads;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The figures of one workload as two Markdown tables, absolute figures and ratios to the limits, to
 * be read on a terminal and in a document.
 */
public final class TextTable {
  private static final List<String> COLUMNS =
      List.of(
          "subject",
          "/s",
          "to limit",
          "p50 ms",
          "p95 ms",
          "p99 ms",
          "JVM µs",
          "server µs",
          "lost",
          "dup",
          "disorder");

  private final Workloads workload;
  private final String conditions;
  private final List<Figures> figures;

  /**
   * @param conditions how it was measured, for the title
   */
  public TextTable(Workloads workload, String conditions, List<Figures> figures) {
    this.workload = workload;
    this.conditions = conditions;
    this.figures = figures;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append("\n### %s %s (%s)\n\n".formatted(workload.label(), workload.title(), conditions));
    append(text, absolute());
    List<List<String>> ratios = ratios();
    if (ratios.size() > 1) {
      text.append("\nRatios run by run, median and range:\n\n");
      append(text, ratios);
    }
    figures.forEach(it -> text.append("\n%s: %s".formatted(it.subject().label(), it.settings())));
    return text.append('\n').toString();
  }

  private List<List<String>> absolute() {
    Set<String> more = new LinkedHashSet<>();
    figures.forEach(it -> more.addAll(it.more().keySet()));
    more.removeAll(List.of(Outcome.JVM_MICROS, Outcome.SERVER_MICROS));
    List<List<String>> rows = new ArrayList<>();
    rows.add(new ArrayList<>(COLUMNS));
    rows.get(0).addAll(more);
    rows.get(0).add("failed");
    figures.forEach(it -> rows.add(row(it, more)));
    return rows;
  }

  private static List<String> row(Figures figures, Set<String> more) {
    List<String> row = new ArrayList<>();
    row.add(figures.subject().label());
    row.add(number(figures.perSecond()));
    row.add(number(figures.ratioToLimit()));
    row.add(number(figures.p50ms()));
    row.add(number(figures.p95ms()));
    row.add(number(figures.p99ms()));
    row.add(number(figures.more().get(Outcome.JVM_MICROS)));
    row.add(number(figures.more().get(Outcome.SERVER_MICROS)));
    row.add(Long.toString(figures.lost()));
    row.add(Long.toString(figures.duplicated()));
    row.add(Long.toString(figures.outOfOrder()));
    more.forEach(name -> row.add(number(figures.more().get(name))));
    row.add(figures.failed() == null ? "" : figures.failed());
    return row;
  }

  private List<List<String>> ratios() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(new ArrayList<>(List.of("subject", "to")));
    rows.get(0).addAll(Figures.COMPARED.keySet());
    for (Figures subject : figures) {
      subject
          .ratios()
          .forEach(
              (limit, ratios) -> {
                if (limit != subject.subject()) {
                  List<String> row =
                      new ArrayList<>(List.of(subject.subject().label(), limit.label()));
                  for (String name : Figures.COMPARED.keySet()) {
                    row.add(ratios.containsKey(name) ? ratios.get(name).toString() : "-");
                  }
                  rows.add(row);
                }
              });
    }
    return rows;
  }

  static void append(StringBuilder text, List<List<String>> rows) {
    int[] widths =
        IntStream.range(0, rows.get(0).size())
            .map(column -> rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0))
            .toArray();
    appendRow(text, rows.get(0), widths);
    appendRow(text, IntStream.of(widths).mapToObj(width -> "-".repeat(width)).toList(), widths);
    rows.subList(1, rows.size()).forEach(row -> appendRow(text, row, widths));
  }

  private static void appendRow(StringBuilder text, List<String> row, int[] widths) {
    for (int column = 0; column < widths.length; column++) {
      String cell = row.get(column);
      text.append("| ").append(cell).append(" ".repeat(widths[column] - cell.length())).append(' ');
    }
    text.append("|\n");
  }

  static String number(@Nullable Double value) {
    if (value == null) {
      return "-";
    }
    String form = Math.abs(value) >= 100 ? "%,.0f" : "%.2f";
    return String.format(Locale.ROOT, form, value);
  }
}
