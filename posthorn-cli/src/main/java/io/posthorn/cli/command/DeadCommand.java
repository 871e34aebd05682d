/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.posthorn.cli.ExitCode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Dead letters. */
@Command(
    name = "dead",
    description = "See dead letters, deliver them again, or say that they were dealt with.",
    mixinStandardHelpOptions = true)
@SuppressWarnings("NullAway.Init") // picocli fills the fields
public final class DeadCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "which command? See below");
  }

  @Command(description = "List them.", mixinStandardHelpOptions = true)
  int list(
      @Mixin ApiOptions options,
      @Mixin FilterOptions filter,
      @Option(names = "--limit", defaultValue = "50", paramLabel = "N", description = "How many.")
          int limit) {
    Output output = options.output();
    try (AdminApi api = options.open()) {
      int found =
          Pages.print(
              output,
              Pages.read(api, "dead-letters", filter.query(), limit),
              List.of("ID", "TYPE", "KEY", "ATTEMPTS", "DIED", "ERROR"),
              List.of("/id", "/type", "/key", "/attempts", "/diedAt", "/error"));
      return found > 0 ? ExitCode.OK : ExitCode.FAILED;
    }
  }

  @Command(
      description = "What did they die of? The largest groups of handler and error first.",
      mixinStandardHelpOptions = true)
  int groups(
      @Mixin ApiOptions options,
      @Option(names = "--handler", paramLabel = "NAME", description = "Of this handler.")
          @Nullable String handler) {
    Output output = options.output();
    try (AdminApi api = options.open()) {
      String query = handler == null ? "" : "?handler=" + FilterOptions.encode(handler);
      JsonNode answer = api.get("dead-letters/groups" + query);
      if (output.json()) {
        output.json(answer);
      } else {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("LETTERS", "HANDLER", "ERROR"));
        answer
            .path("groups")
            .forEach(
                group ->
                    rows.add(
                        List.of(
                            group.path("letters").asText(),
                            group.path("handler").asText(),
                            group.path("error").asText())));
        output.table(rows);
      }
      return answer.path("groups").isEmpty() ? ExitCode.FAILED : ExitCode.OK;
    }
  }

  @Command(description = "Show one, with its payload.", mixinStandardHelpOptions = true)
  int show(
      @Mixin ApiOptions options,
      @Parameters(paramLabel = "ID", description = "As the list has it.") String id) {
    Output output = options.output();
    try (AdminApi api = options.open()) {
      output.json(api.get("dead-letters/" + FilterOptions.encode(id)));
      return ExitCode.OK;
    }
  }

  @Command(description = "Deliver them again.", mixinStandardHelpOptions = true)
  int retry(@Mixin ApiOptions options, @Mixin ChosenEntries which) {
    return which.run(options, "RETRY");
  }

  @Command(description = "Say that they were dealt with.", mixinStandardHelpOptions = true)
  int resolve(@Mixin ApiOptions options, @Mixin ChosenEntries which) {
    return which.run(options, "RESOLVE");
  }

  @Command(description = "Delete them for good.", mixinStandardHelpOptions = true)
  int delete(@Mixin ApiOptions options, @Mixin ChosenEntries which) {
    return which.run(options, "DELETE");
  }
}
