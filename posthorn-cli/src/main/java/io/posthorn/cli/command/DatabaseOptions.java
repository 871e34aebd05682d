/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import io.posthorn.cli.CommandFailure;
import io.posthorn.cli.Database;
import io.posthorn.cli.ExitCode;
import java.io.Console;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which database the outbox is in. */
@SuppressWarnings("NullAway.Init") // picocli fills the fields
final class DatabaseOptions {
  private static final int CONNECTIONS = 2;

  @Option(
      names = "--url",
      paramLabel = "JDBC-URL",
      description = "The database; by default POSTHORN_URL.")
  @Nullable String url;

  @Option(
      names = "--user",
      paramLabel = "NAME",
      description = {
        "Its user; by default POSTHORN_USER.",
        "The password comes from POSTHORN_PASSWORD, or is asked for."
      })
  @Nullable String user;

  @Option(names = "--schema", paramLabel = "NAME", description = "Where the tables are.")
  @Nullable String schema;

  @Option(
      names = "--table-prefix",
      paramLabel = "PREFIX",
      description = "What the names of the tables begin with; by default outbox_.")
  @Nullable String prefix;

  @Nullable String url() {
    return url == null ? System.getenv("POSTHORN_URL") : url;
  }

  /**
   * @throws CommandFailure if no database is named
   */
  Database open(int partitions) {
    String at = url();
    if (at == null) {
      throw new CommandFailure(ExitCode.USAGE, "which database? Give --url, or set POSTHORN_URL");
    }
    if (at.toLowerCase(Locale.ROOT).contains("password=")) {
      throw new CommandFailure(
          ExitCode.USAGE,
          "the URL has a password, which others on this machine could see; set POSTHORN_PASSWORD instead");
    }
    String as = user == null ? System.getenv("POSTHORN_USER") : user;
    return Database.open(
        new Database.Address(at, as, password(as), CONNECTIONS),
        builder -> {
          builder.createTables(false).partitions(partitions);
          if (schema != null) {
            builder.schema(schema);
          }
          if (prefix != null) {
            builder.tablePrefix(prefix);
          }
        });
  }

  private static @Nullable String password(@Nullable String user) {
    String password = System.getenv("POSTHORN_PASSWORD");
    Console console = Terminal.console();
    if (password != null || user == null || console == null) {
      return password;
    }
    char[] typed = console.readPassword("Password of %s: ", user);
    return typed == null ? null : new String(typed);
  }
}
