/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;

/** The unpacked binaries of one PostgreSQL version and a data directory fresh from initdb. */
record PostgresInstallation(Path home, Path template, Account account) {

  private static final Duration INITDB_LIMIT = Duration.ofSeconds(60);

  /** Unpacks and initialises what an earlier run has not already left behind. */
  static PostgresInstallation of(String version, ServerFiles files, Account account) {
    try {
      UnpackOnce once = new UnpackOnce(files);
      Path home = once.directory("postgres-" + version, target -> unpack(version, target));
      Path template =
          once.directory(
              "postgres-" + version + "-template", target -> initialise(home, target, account));
      return new PostgresInstallation(home, template, account);
    } catch (IOException e) {
      throw new ServerException(
          "PostgreSQL " + version + " not unpacked into " + files.root() + ": " + e.getMessage(),
          e);
    }
  }

  private static void unpack(String version, Path target) throws IOException {
    String resource = "/servers/postgres-" + version + ".jar";
    try (InputStream jar = PostgresInstallation.class.getResourceAsStream(resource)) {
      if (jar == null) {
        throw new FileNotFoundException(
            resource + " is not on the class path; build the module test-servers with Maven");
      }
      TarXz.unpackFromJar(jar, target);
    }
  }

  // Without sync: the template is only ever copied, and a server syncs what it writes itself.
  private static void initialise(Path home, Path target, Account account) throws IOException {
    account.own(target);
    Command.of(
            home.resolve("bin/initdb").toString(),
            "--pgdata=" + target.resolve("data"),
            "--username=postgres",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
            "--no-instructions")
        .behind(account.prefix())
        .run(target, INITDB_LIMIT);
  }

  /** Copies the template to a new data directory, owned by the account. */
  void copyTemplate(Path data) throws IOException {
    new FileTree(template.resolve("data")).copyTo(data);
    own(data);
  }

  /** Makes a data directory what a server accepts. */
  void own(Path data) throws IOException {
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
    account.own(data);
  }

  Command server(Path data) {
    return Command.of(home.resolve("bin/postgres").toString(), "-D", data.toString())
        .behind(account.prefix());
  }
}
