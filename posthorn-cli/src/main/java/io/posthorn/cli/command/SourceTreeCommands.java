/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import io.posthorn.cli.CommandFailure;
import io.posthorn.cli.ExitCode;
import picocli.CommandLine.Command;

/** What needs servers and peers that are not in the jar says where it is. */
public final class SourceTreeCommands {
  private SourceTreeCommands() {}

  private static CommandFailure notHere(String name) {
    return new CommandFailure(
        ExitCode.USAGE,
        "%s starts servers that are not part of this program; in a checkout of Posthorn's sources run bin/%s"
            .formatted(name, name));
  }

  /** Measures Posthorn beside its peers. */
  @Command(
      name = "bench",
      description = "Where the benchmarks are (bin/bench of the sources).",
      mixinStandardHelpOptions = true)
  public static final class Bench implements Runnable {
    @Override
    public void run() {
      throw notHere("bench");
    }
  }

  /** Shows what a relay does when things go wrong. */
  @Command(
      name = "demo",
      description = "Where the demonstration is (bin/demo of the sources).",
      mixinStandardHelpOptions = true)
  public static final class Demo implements Runnable {
    @Override
    public void run() {
      throw notHere("demo");
    }
  }
}
