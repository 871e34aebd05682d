/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import io.posthorn.cli.ExitCode;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Lanes: one handler, one key. */
@Command(
    name = "lanes",
    description = "See lanes (one handler, one key) that wait, and steer them.",
    mixinStandardHelpOptions = true)
@SuppressWarnings("NullAway.Init") // picocli fills the fields
public final class LanesCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "which command? See below");
  }

  @Command(description = "List those that wait behind a message.", mixinStandardHelpOptions = true)
  int list(
      @Mixin ApiOptions options,
      @Option(names = "--limit", defaultValue = "50", paramLabel = "N", description = "How many.")
          int limit) {
    Output output = options.output();
    try (AdminApi api = options.open()) {
      int found =
          Pages.print(
              output,
              Pages.read(api, "lanes", "", limit),
              List.of("HANDLER", "KEY", "REASON", "SINCE", "ERROR"),
              List.of("/handler", "/key", "/reason", "/since", "/head/lastError"));
      return found > 0 ? ExitCode.OK : ExitCode.FAILED;
    }
  }

  /** A lane. */
  static final class Lane {
    @Parameters(index = "0", paramLabel = "HANDLER", description = "Its handler.")
    private String handler;

    @Parameters(index = "1", paramLabel = "KEY", description = "Its key.")
    private String key;

    @Mixin private ActionOptions action;

    int run(ApiOptions options, String kind) {
      Output output = options.output();
      try (AdminApi api = options.open()) {
        ActionRunner runner = action.runner(api, output);
        return runner.run(runner.request(kind).put("handler", handler).put("key", key));
      }
    }
  }

  @Command(description = "Make the first message a dead letter.", mixinStandardHelpOptions = true)
  int skip(@Mixin ApiOptions options, @Mixin Lane lane) {
    return lane.run(options, "SKIP");
  }

  @Command(description = "Let its messages wait.", mixinStandardHelpOptions = true)
  int block(@Mixin ApiOptions options, @Mixin Lane lane) {
    return lane.run(options, "BLOCK");
  }

  @Command(description = "Let it go on.", mixinStandardHelpOptions = true)
  int unblock(@Mixin ApiOptions options, @Mixin Lane lane) {
    return lane.run(options, "UNBLOCK");
  }
}
