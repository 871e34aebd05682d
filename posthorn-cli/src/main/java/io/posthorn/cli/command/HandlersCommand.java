/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.posthorn.cli.ExitCode;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Handlers, and the senders of relays, which are handlers too. */
@Command(
    name = "handlers",
    description = "See handlers and senders, and pause them for the whole fleet.",
    mixinStandardHelpOptions = true)
@SuppressWarnings("NullAway.Init") // picocli fills the fields
public final class HandlersCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "which command? See below");
  }

  @Command(description = "List them.", mixinStandardHelpOptions = true)
  int list(@Mixin ApiOptions options) {
    Output output = options.output();
    try (AdminApi api = options.open()) {
      ObjectNode all = (ObjectNode) api.get("handlers");
      int found =
          Pages.print(
              output,
              all,
              List.of("HANDLER", "PAUSED", "DEFERRED", "DEAD", "TYPES"),
              List.of("/name", "/paused", "/deferred", "/dead", "/types"));
      return found > 0 ? ExitCode.OK : ExitCode.FAILED;
    }
  }

  private static int run(ApiOptions options, String kind, String handler, ActionOptions action) {
    Output output = options.output();
    try (AdminApi api = options.open()) {
      ActionRunner runner = action.runner(api, output);
      return runner.run(runner.request(kind).put("handler", handler));
    }
  }

  @Command(
      description = "Start no more deliveries, on any relay, until it is resumed.",
      mixinStandardHelpOptions = true)
  int pause(
      @Mixin ApiOptions options,
      @Parameters(paramLabel = "HANDLER", description = "Its name.") String handler,
      @Mixin ActionOptions action) {
    return run(options, "PAUSE", handler, action);
  }

  @Command(description = "Deliver again.", mixinStandardHelpOptions = true)
  int resume(
      @Mixin ApiOptions options,
      @Parameters(paramLabel = "HANDLER", description = "Its name.") String handler,
      @Mixin ActionOptions action) {
    return run(options, "RESUME", handler, action);
  }
}
