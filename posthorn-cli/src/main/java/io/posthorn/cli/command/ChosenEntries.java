/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.posthorn.cli.CommandFailure;
import io.posthorn.cli.ExitCode;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which entries something is done to: some ids, or all that match. */
@SuppressWarnings("NullAway.Init") // picocli fills the fields
final class ChosenEntries {
  @Parameters(arity = "0..*", paramLabel = "ID", description = "These, as the list has them.")
  private List<String> ids = List.of();

  @Mixin private FilterOptions filter;

  @Option(names = "--all", description = "All of them, if neither ids nor a filter are given.")
  private boolean all;

  @Option(
      names = {"-y", "--yes"},
      description = "Do not ask before a filter is used.")
  private boolean yes;

  @Mixin private ActionOptions action;

  int run(ApiOptions options, String kind) {
    if (!ids.isEmpty() && !(filter.isEmpty() && !all)) {
      throw new CommandFailure(ExitCode.USAGE, "ids and a filter were given; choose one");
    }
    if (ids.isEmpty() && filter.isEmpty() && !all) {
      throw new CommandFailure(
          ExitCode.USAGE, "which ones? Give ids, a filter such as --handler, or --all");
    }
    Output output = options.output();
    try (AdminApi api = options.open()) {
      ActionRunner runner = action.runner(api, output);
      ObjectNode wanted = filter.json();
      return ids.isEmpty() ? runner.onAll(kind, wanted, yes) : runner.onEntries(kind, ids);
    }
  }
}
