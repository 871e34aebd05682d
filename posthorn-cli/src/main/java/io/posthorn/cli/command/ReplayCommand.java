/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Delivers once more what was delivered. */
@Command(
    name = "replay",
    description =
        "Deliver once more what was delivered; there is a history with relay.retention only.",
    mixinStandardHelpOptions = true)
@SuppressWarnings("NullAway.Init") // picocli fills the fields
public final class ReplayCommand implements Callable<Integer> {
  @Mixin private ApiOptions options;
  @Mixin private ChosenEntries which;

  @Override
  public Integer call() {
    return which.run(options, "REPLAY");
  }
}
