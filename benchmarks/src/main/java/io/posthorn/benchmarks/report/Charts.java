/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.report;

import io.posthorn.benchmarks.workload.Workloads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One SVG of horizontal bars per workload. */
public final class Charts {
  private static final int LABEL_WIDTH = 190;
  private static final int BAR_WIDTH = 420;
  private static final int ROW_HEIGHT = 26;
  private static final int TOP = 44;
  private static final int NUMBER_WIDTH = 110;

  private final Path directory;

  public Charts(Path directory) {
    this.directory = directory;
  }

  public void write(List<Figures> figures) throws IOException {
    Map<Workloads, List<Figures>> byWorkload = new EnumMap<>(Workloads.class);
    figures.forEach(
        it -> byWorkload.computeIfAbsent(it.workload(), workload -> new ArrayList<>()).add(it));
    for (Map.Entry<Workloads, List<Figures>> entry : byWorkload.entrySet()) {
      Files.writeString(
          directory.resolve(
              entry.getKey().label() + (entry.getValue().get(0).cold() ? "-cold" : "") + ".svg"),
          chart(entry.getKey(), entry.getValue()));
    }
  }

  private static String chart(Workloads workload, List<Figures> figures) {
    boolean latency = workload == Workloads.W3;
    Function<Figures, @Nullable Double> value = latency ? Figures::p99ms : Figures::perSecond;
    double longest =
        figures.stream().map(value).filter(Objects::nonNull).mapToDouble(it -> it).max().orElse(1);
    int width = LABEL_WIDTH + BAR_WIDTH + NUMBER_WIDTH;
    int height = TOP + figures.size() * ROW_HEIGHT + 10;
    StringBuilder svg = new StringBuilder();
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %1$d %2$d" font-family="sans-serif" font-size="13">
        <rect width="100%%" height="100%%" fill="#ffffff"/>
        <text x="10" y="24" font-size="15" font-weight="bold">%s %s — %s</text>
        """
            .formatted(
                width,
                height,
                workload.label(),
                escape(workload.title() + (figures.get(0).cold() ? ", cold" : "")),
                latency ? "p99 in ms, less is better" : "per second, more is better"));
    for (int row = 0; row < figures.size(); row++) {
      svg.append(bar(figures.get(row), value.apply(figures.get(row)), longest, row));
    }
    return svg.append("</svg>\n").toString();
  }

  private static String bar(Figures figures, @Nullable Double value, double longest, int row) {
    int y = TOP + row * ROW_HEIGHT;
    double length = value == null ? 0 : value / longest * BAR_WIDTH;
    String color =
        switch (figures.subject()) {
          case POSTHORN, POSTHORN_KAFKA -> "#c8102e";
          case LIMIT, LIMIT_LEAN, LIMIT_KAFKA -> "#555555";
          default -> "#8fa3b5";
        };
    String number = TextTable.number(value) + (figures.failed() == null ? "" : " (failed)");
    return String.format(
        Locale.ROOT,
        """
        <text x="%d" y="%d" text-anchor="end">%s</text>
        <rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>
        <text x="%.1f" y="%2$d">%s</text>
        """,
        LABEL_WIDTH - 10,
        y + 15,
        escape(figures.subject().label()),
        LABEL_WIDTH,
        y,
        length,
        ROW_HEIGHT - 6,
        color,
        LABEL_WIDTH + length + 6,
        escape(number));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
