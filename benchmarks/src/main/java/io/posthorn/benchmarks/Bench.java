/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks;

import static java.util.Objects.requireNonNull;

import io.posthorn.benchmarks.report.Charts;
import io.posthorn.benchmarks.report.Figures;
import io.posthorn.benchmarks.report.JsonReport;
import io.posthorn.benchmarks.report.Overview;
import io.posthorn.benchmarks.subject.DatabaseProduct;
import io.posthorn.benchmarks.subject.Subjects;
import io.posthorn.benchmarks.workload.Workloads;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs Posthorn, its peers and the hand-written limit on the same work, and compares them. */
@Command(
    name = "bin/bench",
    description =
        "Runs Posthorn, its peers and a hand-written limit on the same work, in one run, on a real database, and prints a table.",
    mixinStandardHelpOptions = true,
    version = "Posthorn benchmarks",
    sortOptions = false,
    usageHelpAutoWidth = true)
final class Bench implements Callable<Integer> {
  private static final int FAILED_RUNS = 3;

  @Spec private CommandLine.Model.@Nullable CommandSpec spec;

  @Option(
      names = "--subject",
      split = ",",
      paramLabel = "NAME",
      description = "who: limit, posthorn, namastack, … (default: all that suit the workload)")
  private List<String> subjects = List.of();

  @Option(
      names = "--workload",
      split = ",",
      paramLabel = "NAME",
      description =
          "what: w1 to w10, or one of a family such as w2-10000, w7-8 or w9-prepared (default: all)")
  private List<String> workloads = List.of();

  @Option(
      names = "--messages",
      paramLabel = "N",
      description = "size of the backlogs (default: those of the workloads)")
  private @Nullable Integer messages;

  @Option(
      names = "--duration",
      paramLabel = "TIME",
      converter = Seconds.class,
      defaultValue = "20s",
      description =
          "how long writers write, such as 20s; w5 takes 9 times as long, w9 and w10 4 times (default: 20s)")
  private Duration duration = Duration.ofSeconds(20);

  @Option(
      names = "--warm-up",
      paramLabel = "TIME",
      converter = Seconds.class,
      defaultValue = "10s",
      description = "how long JVMs are warmed up, at least; 0s: not at all (default: 10s)")
  private Duration warmUp = Duration.ofSeconds(10);

  @Option(
      names = "--cold",
      description =
          "a fresh JVM for each run, counted from its fifth second; of w2 its first drain counts. For w1 to w4; without --warm-up")
  private boolean cold;

  @Option(
      names = "--jvm-option",
      paramLabel = "OPTION",
      description =
          "for the JVMs of subjects, such as --jvm-option=-XX:+UseSerialGC; more than once if need be")
  private List<String> jvmOptions = List.of();

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "5",
      description = "runs of each, of which the median counts (default: 5)")
  private int runs;

  @Option(
      names = "--database",
      paramLabel = "NAME",
      defaultValue = "postgresql",
      description =
          "postgresql, mariadb or mysql (default: postgresql). On the last two w1 to w4, for posthorn, limit and limit-lean")
  private String database = "postgresql";

  @Option(
      names = "--jdbc-url",
      paramLabel = "URL",
      description =
          "a server of your own, whose user may create databases (default: one is started)")
  private @Nullable String jdbcUrl;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "where to write the figures as JSON (default: nowhere)")
  private @Nullable Path json;

  @Option(
      names = "--charts",
      paramLabel = "DIRECTORY",
      description = "where to write the charts (default: beside the JSON file, or bench-charts)")
  private @Nullable Path charts;

  @Option(
      names = "--overview",
      split = ",",
      paramLabel = "FILE",
      description =
          "runs nothing: makes one table and one picture, overview.svg, of JSON files that --json has written, warm and cold")
  private List<Path> overview = List.of();

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Bench()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    check();
    if (!overview.isEmpty()) {
      Overview of = Overview.read(overview);
      System.out.println(of.table());
      Files.writeString(chartDirectory().resolve("overview.svg"), of.picture());
      return 0;
    }
    DatabaseProduct product = product();
    Plan plan =
        new Plan(
            chosenWorkloads(product),
            workload -> chosenSubjects(workload, product),
            messages,
            duration,
            warmUp,
            cold,
            jvmOptions,
            runs);
    List<Figures> figures;
    try (BenchServer server =
        jdbcUrl == null ? BenchServer.start(product) : BenchServer.at(jdbcUrl)) {
      System.out.println(Machine.describe(server.version()));
      figures = new Session(server, plan).run();
    }
    Path directory = chartDirectory();
    new Charts(directory).write(figures);
    if (json != null) {
      new JsonReport(json).write(figures);
    }
    System.out.println("charts: " + directory);
    return figures.stream().anyMatch(it -> it.failed() != null) ? FAILED_RUNS : 0;
  }

  private void check() {
    if (messages != null && messages < 1) {
      throw wrong("--messages was " + messages + " but must be at least 1");
    }
    if (runs < 1) {
      throw wrong("--runs was " + runs + " but must be at least 1");
    }
    if (cold && requireNonNull(spec).commandLine().getParseResult().hasMatchedOption("--warm-up")) {
      throw wrong("--cold and --warm-up exclude each other");
    }
    for (Path file : overview) {
      if (!Files.isReadable(file)) {
        throw wrong("--overview \"" + file + "\" cannot be read");
      }
    }
    for (String name : subjects) {
      if (Subjects.named(name).isEmpty()) {
        throw wrong("--subject \"" + name + "\" is unknown; there are " + Subjects.labels());
      }
    }
    if (DatabaseProduct.named(database).isEmpty()) {
      throw wrong(
          "--database \"" + database + "\" is unknown; there are postgresql, mariadb and mysql");
    }
    if (jdbcUrl != null) {
      if (requireNonNull(spec).commandLine().getParseResult().hasMatchedOption("--database")) {
        throw wrong("--jdbc-url and --database exclude each other");
      }
      try {
        BenchServer.at(jdbcUrl);
      } catch (IllegalArgumentException e) {
        throw wrong(String.valueOf(e.getMessage()));
      }
    }
  }

  private ParameterException wrong(String text) {
    return new ParameterException(requireNonNull(spec).commandLine(), text);
  }

  private DatabaseProduct product() {
    return jdbcUrl == null
        ? DatabaseProduct.named(database).orElseThrow()
        : DatabaseProduct.of(jdbcUrl);
  }

  private List<Workloads> chosenWorkloads(DatabaseProduct product) {
    if (workloads.isEmpty()) {
      return Arrays.stream(Workloads.values())
          .filter(it -> !cold || it.canBeCold())
          .filter(it -> it.runsOn(product))
          .toList();
    }
    Set<Workloads> chosen = EnumSet.noneOf(Workloads.class);
    for (String name : workloads) {
      List<Workloads> named = Workloads.named(name);
      if (named.isEmpty()) {
        throw wrong("--workload \"" + name + "\" is unknown; there are w1 to w10");
      }
      if (cold && !named.stream().allMatch(Workloads::canBeCold)) {
        throw wrong("--cold was given for \"" + name + "\" but is for w1, w2, w3 and w4");
      }
      if (!named.stream().allMatch(it -> it.runsOn(product))) {
        throw wrong(
            "--workload \"" + name + "\" needs PostgreSQL; w1 to w4 run on " + product.title());
      }
      // With a size of the user's, the other sizes of the family would be the same work.
      chosen.addAll(messages != null && name.equals("w2") ? List.of(Workloads.W2) : named);
    }
    return new ArrayList<>(chosen);
  }

  private Set<Subjects> chosenSubjects(Workloads workload, DatabaseProduct product) {
    Set<Subjects> chosen = EnumSet.noneOf(Subjects.class);
    chosen.addAll(subjects.isEmpty() ? workload.usual() : named());
    chosen.retainAll(workload.able());
    chosen.removeIf(subject -> !subject.runsOn(product));
    return chosen;
  }

  private Set<Subjects> named() {
    Set<Subjects> named = EnumSet.noneOf(Subjects.class);
    for (String name : subjects) {
      named.add(Subjects.named(name).orElseThrow());
    }
    return named;
  }

  private Path chartDirectory() throws Exception {
    Path directory = charts;
    if (directory == null) {
      Path beside = json == null ? null : json.toAbsolutePath().getParent();
      directory = beside == null ? Path.of("bench-charts") : beside;
    }
    return Files.createDirectories(directory);
  }

  /** Times such as 20s or 3m. */
  static final class Seconds implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,6})(ms|s|m)");

    @Override
    public Duration convert(String text) {
      Matcher parts = FORM.matcher(text);
      if (!parts.matches()) {
        throw new CommandLine.TypeConversionException(
            "\"" + text + "\" is no time; write 20s, 500ms or 3m");
      }
      long amount = Long.parseLong(parts.group(1));
      return switch (parts.group(2)) {
        case "ms" -> Duration.ofMillis(amount);
        case "s" -> Duration.ofSeconds(amount);
        default -> Duration.ofMinutes(amount);
      };
    }
  }
}
