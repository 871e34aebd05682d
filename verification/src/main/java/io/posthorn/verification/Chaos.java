/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification;

import static java.util.Objects.requireNonNull;

import io.posthorn.verification.broken.BrokenEngine;
import io.posthorn.verification.broken.BrokenRuns;
import io.posthorn.verification.check.Fault;
import io.posthorn.verification.check.Verdict;
import io.posthorn.verification.check.Violation;
import io.posthorn.verification.database.TestedDatabase;
import io.posthorn.verification.database.TestedDatabases;
import io.posthorn.verification.scenario.Scenarios;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Tries to break the promises of docs/guarantees.md, and says whether it could. */
@Command(
    name = "bin/chaos",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Kills, freezes and cuts off instances of an application and its database, and compares what was committed with what was received. Exit status 0: every promise was kept.")
public final class Chaos implements Callable<Integer> {
  private static final String ALL = "all";
  private static final int BROKEN_SEEDS = 10;
  private static final Duration MINIMISING = Duration.ofMinutes(5);
  private static final Duration RERUN = Duration.ofSeconds(45);

  /** Violations that no shorter run with fewer faults can show. */
  private static final Set<Violation.Kind> SHORT_RUNS_SHOW_NONE =
      EnumSet.of(Violation.Kind.DRIFT, Violation.Kind.BROKEN_HARNESS);

  /** Start, drain and comparison of a rerun. */
  private static final Duration REST_OF_RERUN = Duration.ofSeconds(20);

  @Spec private CommandLine.Model.@Nullable CommandSpec spec;

  @Option(
      names = "--scenario",
      paramLabel = "NAME",
      split = ",",
      description = "one or more of the scenarios below, or all (default: mix)")
  private List<String> scenarios = List.of(Scenarios.MIX.label());

  @Option(
      names = "--database",
      paramLabel = "NAME",
      converter = DatabaseConverter.class,
      description =
          "postgresql, mariadb or mysql (default: postgresql). Some scenarios are for PostgreSQL only")
  private TestedDatabase database = TestedDatabases.POSTGRESQL;

  @Option(
      names = "--duration",
      paramLabel = "TIME",
      converter = TimeConverter.class,
      description = "of each scenario, such as 90s or 3m (default: 3m)")
  private Duration duration = Duration.ofMinutes(3);

  @Option(names = "--seed", paramLabel = "N", description = "of the first run (default: 1)")
  private long seed = 1;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      description = "how many seeds, one after the other (default: 1)")
  private int seeds = 1;

  @Option(
      names = "--broken",
      paramLabel = "NAME",
      split = ",",
      description =
          "runs engines with one thing done wrong instead, up to --seeds times each (default: 10), in --scenario or the one that should find it. One or more of the names of docs/reliability.md, or all. Exit status 0: each was found")
  private List<String> broken = List.of();

  @Option(
      names = "--without",
      paramLabel = "FAULT",
      split = ",",
      converter = FaultConverter.class,
      description = "kinds of faults that are left out, such as kill,freeze")
  private Set<Fault.Kind> without = Set.of();

  @Option(
      names = "--no-minimise",
      description =
          "after a violation, do not look for the smallest set of faults that still shows it (which takes up to 5 min)")
  private boolean noMinimise;

  @Option(names = "--json", paramLabel = "FILE", description = "where to write the figures")
  private @Nullable Path json;

  private Chaos() {}

  public static void main(String[] arguments) {
    CommandLine command = new CommandLine(new Chaos());
    command
        .getCommandSpec()
        .usageMessage()
        .footer(
            Arrays.stream(Scenarios.values())
                .map(it -> "  %-16s %s".formatted(it.label(), it.title()))
                .collect(Collectors.joining("%n", "%nScenarios:%n", "")));
    System.exit(command.execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    Path directory = Files.createTempDirectory("posthorn-chaos-");
    if (!broken.isEmpty()) {
      return findBroken(directory);
    }
    Report report = new Report();
    for (Scenarios chosen : chosen()) {
      String obstacle = obstacle(chosen);
      if (!obstacle.isEmpty()) {
        System.err.printf("%s: skipped, %s%n", chosen.label(), obstacle);
        continue;
      }
      for (long run = seed; run < seed + seeds; run++) {
        ChaosRun next = new ChaosRun(database, chosen, run, duration, without);
        String name = "%s, seed %d".formatted(chosen.label(), run);
        System.err.printf("%s: %d s and until all is delivered%n", name, duration.toSeconds());
        Verdict verdict = verdict(next, directory, word -> System.err.println(name + ": " + word));
        report.add(next, verdict);
        System.err.println(report.lastLine());
        System.err.print(report.lastViolations());
        if (!noMinimise && !SHORT_RUNS_SHOW_NONE.containsAll(verdict.counts().keySet())) {
          report.addNote(minimised(next, verdict, directory));
        }
      }
    }
    System.out.println(seeds > 1 ? report.summary() : report.table());
    System.out.print(report.violations());
    System.out.println("histories and logs: " + directory);
    Path file = json;
    if (file != null) {
      Files.write(
          file,
          JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsBytes(report.data()));
    }
    return report.allKept() ? 0 : 1;
  }

  /** Why a scenario cannot be run; empty if it can. */
  private String obstacle(Scenarios chosen) {
    return chosen.runsOn(database) ? chosen.lacks() : "it needs PostgreSQL";
  }

  private int findBroken(Path directory) throws IOException, InterruptedException {
    CommandLine.ParseResult given = requireNonNull(spec).commandLine().getParseResult();
    BrokenRuns runs =
        new BrokenRuns(
            (scenario, run) ->
                verdict(
                    new ChaosRun(database, scenario, run, duration),
                    directory.resolve(Long.toString(System.nanoTime())),
                    word -> {}),
            seed,
            given.hasMatchedOption("--seeds") ? seeds : BROKEN_SEEDS,
            System.err::println);
    for (BrokenEngine engine : brokenEngines()) {
      runs.find(
          engine, given.hasMatchedOption("--scenario") ? chosen() : List.of(engine.scenario()));
    }
    System.out.println(runs.table());
    return runs.allFound() ? 0 : 1;
  }

  private List<BrokenEngine> brokenEngines() {
    return broken.contains(ALL)
        ? List.of(BrokenEngine.values())
        : broken.stream()
            .map(
                name ->
                    BrokenEngine.named(name)
                        .orElseThrow(
                            () ->
                                new ParameterException(
                                    requireNonNull(spec).commandLine(),
                                    "no broken engine \"%s\"; take one of %s, or all"
                                        .formatted(
                                            name,
                                            Arrays.stream(BrokenEngine.values())
                                                .map(BrokenEngine::label)
                                                .collect(Collectors.joining(", "))))))
            .toList();
  }

  /** Runs it again with fewer faults, to see which of them matter. */
  private static String minimised(ChaosRun broken, Verdict verdict, Path directory)
      throws InterruptedException {
    long end = System.nanoTime() + MINIMISING.toNanos();
    Duration each = broken.without(Set.of(), RERUN).duration().plus(REST_OF_RERUN);
    FaultMinimiser minimiser =
        new FaultMinimiser(
            kinds -> {
              ChaosRun rerun = broken.without(union(broken.without(), kinds), RERUN);
              System.err.println("again: " + rerun.command());
              return verdict(rerun, reruns(directory), word -> {});
            },
            () -> System.nanoTime() + each.toNanos() <= end);
    Set<Fault.Kind> needed = minimiser.minimise(verdict);
    Set<Fault.Kind> spare = EnumSet.noneOf(Fault.Kind.class);
    spare.addAll(verdict.faults().keySet());
    spare.removeAll(needed);
    return "the smallest set of faults that still showed it in %d more runs: %s%nagain: %s%n"
        .formatted(
            minimiser.runs(),
            needed.isEmpty()
                ? "none"
                : needed.stream().map(Fault.Kind::label).collect(Collectors.joining(", ")),
            broken.without(union(broken.without(), spare), broken.duration()).command());
  }

  private static Set<Fault.Kind> union(Set<Fault.Kind> one, Set<Fault.Kind> other) {
    Set<Fault.Kind> both = new HashSet<>(one);
    both.addAll(other);
    return both;
  }

  /** The histories of each run are read from a directory of their own. */
  private static Path reruns(Path directory) {
    try {
      return Files.createTempDirectory(directory, "again-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A run that could not be carried through has shown nothing, and the others go on. */
  private static Verdict verdict(ChaosRun run, Path directory, Consumer<String> progress)
      throws InterruptedException {
    try {
      return run.run(directory, progress);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      StringWriter trace = new StringWriter();
      e.printStackTrace(new PrintWriter(trace));
      return Verdict.none(trace.toString());
    }
  }

  private List<Scenarios> chosen() {
    return scenarios.contains(ALL)
        ? List.of(Scenarios.values())
        : scenarios.stream().map(this::named).map(this::runnable).toList();
  }

  /** What was asked for by name is refused rather than skipped. */
  private Scenarios runnable(Scenarios chosen) {
    if (!chosen.runsOn(database)) {
      throw new ParameterException(
          requireNonNull(spec).commandLine(),
          "scenario \"%s\" needs PostgreSQL: %s. It cannot be run on %s"
              .formatted(chosen.label(), chosen.title(), database.label()));
    }
    return chosen;
  }

  private Scenarios named(String name) {
    return Scenarios.named(name)
        .orElseThrow(
            () ->
                new ParameterException(
                    requireNonNull(spec).commandLine(),
                    "no scenario \"%s\"; take one of %s, or all"
                        .formatted(
                            name,
                            Arrays.stream(Scenarios.values())
                                .map(Scenarios::label)
                                .collect(Collectors.joining(", ")))));
  }

  /** Takes names of databases. */
  private static final class DatabaseConverter
      implements CommandLine.ITypeConverter<TestedDatabase> {
    @Override
    public TestedDatabase convert(String value) {
      TestedDatabase database =
          TestedDatabases.named(value)
              .orElseThrow(
                  () ->
                      new CommandLine.TypeConversionException(
                          "no database \"%s\"; take one of %s"
                              .formatted(value, TestedDatabases.labels())));
      if (!database.lacks().isEmpty()) {
        throw new CommandLine.TypeConversionException(
            "\"%s\" cannot be run here: %s".formatted(value, database.lacks()));
      }
      return database;
    }
  }

  /** Takes names of faults such as database-stop. */
  private static final class FaultConverter implements CommandLine.ITypeConverter<Fault.Kind> {
    @Override
    public Fault.Kind convert(String value) {
      return Arrays.stream(Fault.Kind.values())
          .filter(kind -> kind.option().equals(value))
          .findFirst()
          .orElseThrow(
              () ->
                  new CommandLine.TypeConversionException(
                      "no fault \"%s\"; take some of %s"
                          .formatted(
                              value,
                              Arrays.stream(Fault.Kind.values())
                                  .map(Fault.Kind::option)
                                  .collect(Collectors.joining(", ")))));
    }
  }

  /** Takes times such as 90s and 3m. */
  private static final class TimeConverter implements CommandLine.ITypeConverter<Duration> {
    @Override
    public Duration convert(String value) {
      if (!value.matches("[0-9]{1,6}[smh]")) {
        throw new CommandLine.TypeConversionException(
            "\"" + value + "\" is no time; write a number and s, m or h, such as 90s");
      }
      return Duration.parse("PT" + value);
    }
  }
}
