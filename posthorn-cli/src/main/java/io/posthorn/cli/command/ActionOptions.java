/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import io.posthorn.cli.CommandFailure;
import io.posthorn.cli.ExitCode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What the commands that change something have in common. */
@SuppressWarnings("NullAway.Init") // picocli fills the fields
final class ActionOptions {
  @Option(names = "--why", paramLabel = "TEXT", description = "The reason, for the record.")
  private @Nullable String why;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "3600",
      description = {
        "How long to wait for the end of the action; by default ${DEFAULT-VALUE}.",
        "After that the command ends with 5."
      })
  private int timeoutSeconds;

  ActionRunner runner(AdminApi api, Output output) {
    if (timeoutSeconds < 1) {
      throw new CommandFailure(
          ExitCode.USAGE, "--timeout was %d but must be at least 1".formatted(timeoutSeconds));
    }
    Duration timeout = Duration.ofSeconds(timeoutSeconds);
    return new ActionRunner(api, output, why, ActionWait.of(api, output, timeout));
  }
}
