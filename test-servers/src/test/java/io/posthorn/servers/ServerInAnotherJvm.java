/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A JVM of its own that starts a server, prints its URL, and ends when told so, or when killed. */
final class ServerInAnotherJvm implements AutoCloseable {

  private static final Duration LIMIT = Duration.ofSeconds(90);

  private final Process jvm;

  private ServerInAnotherJvm(Process jvm) {
    this.jvm = jvm;
  }

  /**
   * @param args "rabbit", or nothing for PostgreSQL
   */
  public static void main(String[] args) throws IOException {
    if (List.of(args).contains("rabbit")) {
      RabbitServer server = new RabbitServer();
      server.start();
      System.out.println(server.uri());
    } else {
      PostgresServer server = PostgresServer.newest();
      server.start();
      System.out.println(server.jdbcUrl());
    }
    if (System.in.read() >= 0) {
      System.exit(0);
    }
  }

  static ServerInAnotherJvm start(
      List<String> prefix, Path temporary, String classPath, String... arguments)
      throws IOException {
    List<String> words = new ArrayList<>(prefix);
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.add("-Djava.io.tmpdir=" + temporary);
    words.addAll(List.of("-cp", classPath, ServerInAnotherJvm.class.getName()));
    words.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(words).directory(temporary.toFile());
    return new ServerInAnotherJvm(builder.redirectErrorStream(true).start());
  }

  static ServerInAnotherJvm start() throws IOException {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    return start(
        List.of(),
        temporary,
        ownClassPath().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
  }

  /**
   * One of a user who is not root, on an empty machine. As root, it changes to another user;
   * otherwise it is a normal user's already.
   *
   * @param directory empty; its temporary files are in "tmp" there
   */
  static ServerInAnotherJvm ofNormalUser(Path directory, String... arguments) throws IOException {
    Account user = Account.ownUserId() == 0 ? Account.OTHER_USER : Account.OWN;
    Path temporary = Files.createDirectory(directory.resolve("tmp"));
    String classPath = readableClassPath(Files.createDirectory(directory.resolve("classes")));
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    user.own(directory);
    return start(user.prefix(), temporary, classPath, arguments);
  }

  /** A copy, because a normal user may not enter the home of the one who built this. */
  private static String readableClassPath(Path target) throws IOException {
    List<String> copies = new ArrayList<>();
    for (Path entry : ownClassPath().toList()) {
      Path copy = target.resolve(copies.size() + "-" + entry.getFileName());
      new FileTree(entry).copyTo(copy);
      copies.add(copy.toString());
    }
    return String.join(File.pathSeparator, copies);
  }

  static Stream<Path> ownClassPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .map(entry -> Path.of(entry).toAbsolutePath());
  }

  /** Waits for the server; fails with what the JVM printed instead. */
  String url() throws Exception {
    BufferedReader printed = new BufferedReader(new InputStreamReader(jvm.getInputStream(), UTF_8));
    String line =
        CompletableFuture.supplyAsync(() -> printed.lines().findFirst().orElse("nothing"))
            .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    if (!line.startsWith("jdbc:") && !line.startsWith("amqp:")) {
      throw new AssertionError(line + "\n" + String.join("\n", printed.lines().toList()));
    }
    return line;
  }

  void tellToExit() throws IOException, InterruptedException {
    jvm.getOutputStream().write('\n');
    jvm.getOutputStream().flush();
    jvm.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  void kill() throws InterruptedException {
    jvm.destroyForcibly().waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    jvm.destroyForcibly();
  }
}
