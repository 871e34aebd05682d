/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.posthorn.cli.Database;
import io.posthorn.cli.ExitCode;
import io.posthorn.jdbc.OutboxSchema;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The tables. */
@Command(
    name = "schema",
    description = "Print, check, create or upgrade the tables of an outbox.",
    mixinStandardHelpOptions = true)
@SuppressWarnings("NullAway.Init") // picocli fills the fields
public final class SchemaCommand implements Runnable {
  private static final int PARTITIONS = 64;

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "which command? See below");
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /** How many partitions new tables get. */
  static final class Partitions {
    @Option(
        names = "--partitions",
        paramLabel = "N",
        defaultValue = "64",
        description = "How many new tables get; by default ${DEFAULT-VALUE}.")
    private int partitions;
  }

  @Command(
      description = "Print the SQL that creates the tables, or that upgrades those that are there.",
      mixinStandardHelpOptions = true)
  int print(@Mixin DatabaseOptions options, @Mixin Partitions partitions) {
    try (Database database = options.open(partitions.partitions)) {
      OutboxSchema schema = database.store().schema();
      int found = schema.foundVersion();
      out().println(found == 0 ? schema.print() : schema.printUpgrade(found));
      return ExitCode.OK;
    }
  }

  @Command(
      description = "Say whether the tables and the server can be used. Ends with 1 if not.",
      mixinStandardHelpOptions = true)
  int validate(
      @Mixin DatabaseOptions options,
      @Option(names = "--json", description = "Print JSON.") boolean json) {
    try (Database database = options.open(PARTITIONS)) {
      OutboxSchema schema = database.store().schema();
      List<String> problems = schema.validate();
      if (json) {
        ObjectNode answer =
            AdminApi.JSON
                .createObjectNode()
                .put("version", schema.foundVersion())
                .put("neededVersion", schema.neededVersion());
        problems.forEach(answer.putArray("problems")::add);
        out().println(answer);
      } else if (problems.isEmpty()) {
        out().println("the tables are fine (version %d)".formatted(schema.foundVersion()));
      } else {
        problems.forEach(problem -> out().println(Output.safe(problem)));
      }
      return problems.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
    }
  }

  @Command(description = "Create the tables, or upgrade them.", mixinStandardHelpOptions = true)
  int apply(@Mixin DatabaseOptions options, @Mixin Partitions partitions) {
    try (Database database = options.open(partitions.partitions)) {
      List<Integer> versions = database.store().schema().apply();
      out()
          .println(
              versions.isEmpty()
                  ? "there was nothing to do"
                  : "the tables are at version " + versions.get(versions.size() - 1));
      return ExitCode.OK;
    }
  }
}
