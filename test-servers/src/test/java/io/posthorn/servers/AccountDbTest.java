/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(120)
class AccountDbTest {

  static Stream<Account> accounts() {
    return Account.usable(ServerFiles.ofThisUser().root());
  }

  @ParameterizedTest
  @MethodSource("accounts")
  void serverRunsAndRestartsUnderEveryUsableAccount(Account account) throws SQLException {
    try (PostgresServer server = new PostgresServer("18.6", files -> account)) {
      server.start();
      new Sql(server.jdbcUrl()).run("CREATE TABLE kept AS SELECT 7 AS n");
      server.kill();
      server.start();
      server.stop();
      server.start();

      assertThat(new Sql(server.jdbcUrl()).value("SELECT n FROM kept")).isEqualTo("7");
    }
  }

  /** As root, the JVM changes to another user; otherwise it is a normal user's already. */
  @Test
  void serverRunsForANormalUserOnAnEmptyMachine(@TempDir Path directory) throws Exception {
    boolean root = accounts().noneMatch(Account.OWN::equals);
    Account user = root ? Account.OTHER_USER : Account.OWN;
    Path temporary = Files.createDirectory(directory.resolve("tmp"));
    String classPath = readableClassPath(Files.createDirectory(directory.resolve("classes")));
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    user.own(directory);

    try (ServerInAnotherJvm jvm = ServerInAnotherJvm.start(user.prefix(), temporary, classPath)) {
      RunningPostgres server = RunningPostgres.at(jvm.url());
      assertThat(server.data().startsWith(temporary)).isTrue();
      assertThat(Files.getAttribute(server.data(), "unix:uid"))
          .isEqualTo(Files.getAttribute(temporary, "unix:uid"));
      jvm.kill();

      Eventually.holds("the postmaster is gone", () -> !server.postmaster().alive());
    }
  }

  /** A copy, because a normal user may not enter the home of the one who built this. */
  private static String readableClassPath(Path target) throws IOException {
    List<String> copies = new ArrayList<>();
    for (Path entry : ServerInAnotherJvm.ownClassPath().toList()) {
      Path copy = target.resolve(copies.size() + "-" + entry.getFileName());
      new FileTree(entry).copyTo(copy);
      copies.add(copy.toString());
    }
    return String.join(File.pathSeparator, copies);
  }
}
