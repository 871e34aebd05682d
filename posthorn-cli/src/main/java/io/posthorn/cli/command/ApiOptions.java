/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import io.posthorn.cli.CommandFailure;
import io.posthorn.cli.ExitCode;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Which outbox is meant, and how answers are shown. */
@SuppressWarnings("NullAway.Init") // picocli fills the fields
final class ApiOptions {
  private static final int ANY = 64;

  @Option(
      names = "--admin",
      paramLabel = "URL",
      description = {
        "The admin API of a running process, instead of a database; by default POSTHORN_ADMIN.",
        "Credentials: POSTHORN_ADMIN_TOKEN, or POSTHORN_ADMIN_USER and POSTHORN_ADMIN_PASSWORD."
      })
  @Nullable String admin;

  @Mixin DatabaseOptions database;

  @Option(names = "--json", description = "Print what the admin API answers.")
  boolean json;

  @Option(
      names = "--as",
      paramLabel = "NAME",
      description = {
        "Who does it, for the record; by default the user of this machine.",
        "On a database only: an admin API records who has logged in."
      })
  @Nullable String who;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  /**
   * @throws CommandFailure if neither or both are named, or a name is given to an admin API
   */
  AdminApi open() {
    String server = admin;
    if (server == null && database.url == null) {
      server = System.getenv("POSTHORN_ADMIN");
    }
    if (server != null && database.url != null) {
      throw new CommandFailure(
          ExitCode.USAGE, "--admin and --url were given; choose the one or the other");
    }
    if (server != null && who != null) {
      throw new CommandFailure(
          ExitCode.USAGE,
          "--as is for databases; the admin API at %s records who has logged in, so leave --as away"
              .formatted(server));
    }
    if (server != null) {
      return new RemoteApi(server, System::getenv);
    }
    if (database.url() == null) {
      throw new CommandFailure(
          ExitCode.USAGE,
          "which outbox? Give --url or --admin, or set POSTHORN_URL or POSTHORN_ADMIN");
    }
    String name = who == null ? System.getProperty("user.name", "unknown") : who;
    return new LocalApi(database.open(ANY), name);
  }

  Output output() {
    return new Output(spec.commandLine(), json);
  }
}
