/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints what makes a shell complete commands and options. */
@Command(
    name = "completion",
    description = {
      "Print a script for shell completion.",
      "bash: source <(posthorn completion bash)",
      "zsh: run \"autoload -U +X bashcompinit && bashcompinit\" first"
    },
    mixinStandardHelpOptions = true)
@SuppressWarnings("NullAway.Init") // picocli fills the fields
final class CompletionCommand implements Callable<Integer> {
  /** The shells it is made for. */
  enum Shell {
    BASH,
    ZSH
  }

  @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
  @SuppressWarnings("UnusedVariable") // both shells read the same script
  private Shell shell;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().getOut().println(AutoComplete.bash("posthorn", spec.root().commandLine()));
    return ExitCode.OK;
  }
}
