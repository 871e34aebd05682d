/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * A second JVM, with a small heap, that obeys lines on its standard input, such as a {@link
 * RelayProcess}. It can be frozen and thawed.
 */
public final class SecondJvm implements AutoCloseable {
  private final Process process;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Await await = new Await(() -> "the second JVM said: " + lines);

  private SecondJvm(Process process) {
    this.process = process;
    Thread reader = new Thread(this::readLines, "second-jvm-output");
    reader.setDaemon(true);
    reader.start();
  }

  static SecondJvm relay(LiveDatabase database, String name) throws IOException {
    return start(RelayProcess.class, database.url(), name);
  }

  /** Starts a program; it ends when its memory is exhausted. */
  public static SecondJvm start(Class<?> main, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    command.addAll(List.of(arguments));
    return new SecondJvm(new ProcessBuilder(command).redirectErrorStream(true).start());
  }

  private void readLines() {
    try (BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      lines.add("no more output: " + e);
    }
  }

  /** Sends a command, and waits until it was obeyed. */
  void tell(String command) {
    long before = said("done: " + command);
    send(command);
    await.until("done: " + command, () -> said("done: " + command) > before);
  }

  /** Sends a command, and waits for the answer: a line that begins with it. */
  public String ask(String command) {
    int before = lines.size();
    send(command);
    await.until(
        "an answer to " + command,
        () -> !alive() || lines.stream().skip(before).anyMatch(line -> line.startsWith(command)));
    return lines.stream()
        .skip(before)
        .filter(line -> line.startsWith(command))
        .findFirst()
        .orElseThrow(() -> new AssertionError(toString()))
        .substring(command.length())
        .strip();
  }

  /** Sends a command that is obeyed when the JVM runs again. */
  void send(String command) {
    try {
      process.getOutputStream().write((command + "\n").getBytes(UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException("said: " + lines, e);
    }
  }

  private long said(String line) {
    return lines.stream().filter(line::equals).count();
  }

  void awaitLine(String line) {
    await.until("\"" + line + "\" is said", () -> said(line) > 0);
  }

  public boolean alive() {
    return process.isAlive();
  }

  void freeze() throws Exception {
    signal("STOP");
  }

  void thaw() throws Exception {
    signal("CONT");
  }

  private void signal(String name) throws Exception {
    Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).start();
    assertThat(kill.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(kill.exitValue()).isZero();
  }

  @Override
  public String toString() {
    return "the second JVM (alive: " + process.isAlive() + ") said: " + lines;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
