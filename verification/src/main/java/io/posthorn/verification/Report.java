/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification;

import io.posthorn.verification.check.Fault;
import io.posthorn.verification.check.Verdict;
import io.posthorn.verification.check.Violation;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The verdicts as a table for people, and as data. */
final class Report {
  private static final List<String> HEAD =
      List.of(
          "scenario",
          "seed",
          "faults",
          "messages",
          "lost",
          "phantom",
          "disorder",
          "stale",
          "intrusions",
          "effects",
          "other",
          "duplicated",
          "dead",
          "longest wait",
          "promises");

  private static final Set<Violation.Kind> ORDER =
      EnumSet.of(Violation.Kind.DISORDER, Violation.Kind.SIDE_BY_SIDE);
  private static final Set<Violation.Kind> EFFECTS =
      EnumSet.of(
          Violation.Kind.LOST_EFFECT, Violation.Kind.REPEATED_EFFECT, Violation.Kind.FALSE_EFFECT);

  /** Those that have a column of their own. */
  private static final EnumSet<Violation.Kind> SHOWN =
      EnumSet.of(
          Violation.Kind.LOST,
          Violation.Kind.PHANTOM,
          Violation.Kind.STALE_EPOCH,
          Violation.Kind.INTRUSION);

  static {
    SHOWN.addAll(ORDER);
    SHOWN.addAll(EFFECTS);
  }

  private final List<Line> lines = new ArrayList<>();

  private record Line(ChaosRun run, Verdict verdict, String note) {}

  void add(ChaosRun run, Verdict verdict) {
    lines.add(new Line(run, verdict, ""));
  }

  /** Adds what else was found out about the last run. */
  void addNote(String note) {
    Line last = lines.remove(lines.size() - 1);
    lines.add(new Line(last.run, last.verdict, note));
  }

  boolean allKept() {
    return lines.stream().allMatch(line -> line.verdict.kept());
  }

  /** In Markdown. */
  String table() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEAD);
    rows.add(HEAD.stream().map(any -> "---").toList());
    lines.forEach(line -> rows.add(cells(line)));
    return rows.stream().map(Report::line).collect(Collectors.joining("\n"));
  }

  /** A line for each scenario: its runs together, the longest wait of all of them. In Markdown. */
  String summary() {
    Map<String, Verdict> together = new LinkedHashMap<>();
    Map<String, Integer> runs = new LinkedHashMap<>();
    Map<String, Integer> kept = new LinkedHashMap<>();
    for (Line line : lines) {
      String scenario = line.run.scenario().label();
      together.merge(scenario, line.verdict, Verdict::and);
      runs.merge(scenario, 1, Integer::sum);
      kept.merge(scenario, line.verdict.kept() ? 1 : 0, Integer::sum);
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(head("runs"));
    rows.add(HEAD.stream().map(any -> "---").toList());
    together.forEach(
        (scenario, verdict) ->
            rows.add(
                cells(
                    "`" + scenario + "`",
                    Integer.toString(runs.getOrDefault(scenario, 0)),
                    verdict,
                    "kept in " + kept.get(scenario))));
    return rows.stream().map(Report::line).collect(Collectors.joining("\n"));
  }

  private static List<String> head(String second) {
    List<String> head = new ArrayList<>(HEAD);
    head.set(1, second);
    return head;
  }

  /** As it stands in the table. */
  String lastLine() {
    return line(cells(lines.get(lines.size() - 1)));
  }

  private static String line(List<String> cells) {
    return cells.stream().collect(Collectors.joining(" | ", "| ", " |"));
  }

  private static List<String> cells(Line line) {
    return cells(
        line.run.scenario().label(),
        Long.toString(line.run.seed()),
        line.verdict,
        line.verdict.kept() ? "kept" : "BROKEN");
  }

  private static List<String> cells(
      String scenario, String second, Verdict verdict, String promises) {
    return List.of(
        scenario,
        second,
        faults(verdict),
        Long.toString(verdict.messages()),
        Long.toString(verdict.count(Violation.Kind.LOST)),
        Long.toString(verdict.count(Violation.Kind.PHANTOM)),
        Long.toString(count(verdict, ORDER)),
        Long.toString(verdict.count(Violation.Kind.STALE_EPOCH)),
        Long.toString(verdict.count(Violation.Kind.INTRUSION)),
        Long.toString(count(verdict, EFFECTS)),
        Long.toString(count(verdict, EnumSet.complementOf(SHOWN))),
        Long.toString(verdict.duplicated()),
        Long.toString(verdict.deadLetters()),
        stalls(verdict),
        promises);
  }

  private static long count(Verdict verdict, Set<Violation.Kind> kinds) {
    return kinds.stream().mapToLong(verdict::count).sum();
  }

  private static String faults(Verdict verdict) {
    return verdict.faults().entrySet().stream()
        .map(entry -> entry.getValue() + " " + entry.getKey().label())
        .collect(Collectors.joining(", "));
  }

  private static String stalls(Verdict verdict) {
    return verdict.stalls().entrySet().stream()
        .map(
            entry ->
                String.format(
                    Locale.ROOT, "%s %.1f s", entry.getKey().label(), entry.getValue() / 1e3))
        .collect(Collectors.joining(", "));
  }

  /** What was broken, with the stories and how to run it again; empty if nothing was. */
  String violations() {
    return lines.stream().map(Report::violations).collect(Collectors.joining());
  }

  /** The same of the last run. */
  String lastViolations() {
    return violations(lines.get(lines.size() - 1));
  }

  private static String violations(Line line) {
    if (line.verdict.kept()) {
      return "";
    }
    return line.verdict.violations().stream()
        .map(it -> "%s %d: %s%n".formatted(line.run.scenario().label(), line.run.seed(), it))
        .collect(Collectors.joining("", "", "again: " + line.run.command() + "\n" + line.note));
  }

  List<Map<String, Object>> data() {
    return lines.stream().map(Report::data).toList();
  }

  private static Map<String, Object> data(Line line) {
    Verdict verdict = line.verdict;
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("scenario", line.run.scenario().label());
    data.put("seed", line.run.seed());
    data.put("seconds", line.run.duration().toSeconds());
    data.put("faults", byLabel(verdict.faults()));
    data.put("messages", verdict.messages());
    data.put("unknownCommits", verdict.unknownCommits());
    data.put("duplicated", verdict.duplicated());
    data.put("deadLetters", verdict.deadLetters());
    for (Violation.Kind kind : Violation.Kind.values()) {
      data.put(kind.label(), verdict.count(kind));
    }
    data.put("longestWaitMillis", byLabel(verdict.stalls()));
    data.put("kept", verdict.kept());
    return data;
  }

  private static Map<String, Object> byLabel(Map<Fault.Kind, ? extends Number> values) {
    Map<String, Object> data = new LinkedHashMap<>();
    values.forEach((kind, value) -> data.put(kind.label(), value));
    return data;
  }
}
