/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.relay;

import io.posthorn.cli.ExitCode;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Delivers until the process is asked to end. */
@Command(
    name = "relay",
    description = {
      "Deliver from the database of applications that only publish, to Kafka, RabbitMQ and HTTP.",
      "Several of them share the work. SIGTERM ends it when deliveries under way have ended."
    },
    mixinStandardHelpOptions = true)
@SuppressWarnings("NullAway.Init") // picocli fills the fields
public final class RelayCommand implements Callable<Integer> {
  @Option(
      names = {"-c", "--config"},
      required = true,
      paramLabel = "FILE",
      description = "Where messages come from and where they go; see docs/standalone-relay.md.")
  private Path config;

  @Option(names = "--check", description = "Check the file, connect to nothing, and end.")
  private boolean checkOnly;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    RelayConfig settings = RelayConfig.read(config, System::getenv);
    if (checkOnly) {
      spec.commandLine()
          .getOut()
          .printf(
              "%s is fine: %d sender(s), %d route(s)%n",
              config, settings.senders().size(), settings.routes().size());
      return ExitCode.OK;
    }
    RelayProcess relay = RelayProcess.start(settings);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(relay), "posthorn-stop"));
    new CountDownLatch(1).await(); // for ever: a signal ends the process
    return ExitCode.OK;
  }

  /** Without the halt, a process that was asked to end would end with the code of the signal. */
  private static void end(RelayProcess relay) {
    Runtime.getRuntime().halt(relay.stop() ? ExitCode.OK : ExitCode.NOT_HANDED_OVER);
  }
}
