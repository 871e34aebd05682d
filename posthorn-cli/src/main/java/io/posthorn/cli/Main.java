/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli;

import picocli.CommandLine;

/** The program. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    Logging.configure();
    System.exit(commandLine().execute(args));
  }

  /** All commands, as they are on the command line. */
  public static CommandLine commandLine() {
    return new CommandLine(new PosthornCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(new Failures())
        .setUsageHelpAutoWidth(true);
  }
}
