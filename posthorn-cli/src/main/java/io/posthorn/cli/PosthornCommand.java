/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli;

import io.posthorn.Posthorn;
import io.posthorn.cli.command.DeadCommand;
import io.posthorn.cli.command.HandlersCommand;
import io.posthorn.cli.command.LanesCommand;
import io.posthorn.cli.command.MessagesCommand;
import io.posthorn.cli.command.ReplayCommand;
import io.posthorn.cli.command.SchemaCommand;
import io.posthorn.cli.command.SourceTreeCommands;
import io.posthorn.cli.command.StatusCommand;
import io.posthorn.cli.relay.RelayCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command that has all the others. */
@Command(
    name = "posthorn",
    description = "See and steer a transactional outbox, or deliver from it.",
    mixinStandardHelpOptions = true,
    versionProvider = PosthornCommand.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:not done, or nothing of the kind is there",
      "2:the command line or the configuration is wrong",
      "3:the database or the admin API cannot be reached",
      "4:a relay was stopped before everything was handed over",
      "5:an action had not ended after --timeout"
    },
    subcommands = {
      StatusCommand.class,
      MessagesCommand.class,
      DeadCommand.class,
      LanesCommand.class,
      HandlersCommand.class,
      ReplayCommand.class,
      SchemaCommand.class,
      RelayCommand.class,
      SourceTreeCommands.Bench.class,
      SourceTreeCommands.Demo.class,
      CompletionCommand.class
    })
@SuppressWarnings("NullAway.Init") // picocli fills the fields
final class PosthornCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "which command? See below");
  }

  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"posthorn " + Posthorn.version()};
    }
  }
}
