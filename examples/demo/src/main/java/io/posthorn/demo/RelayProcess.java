/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link SecondRelay}, seen from the process that starts, kills and stops it. */
final class RelayProcess implements AutoCloseable {
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);

  private final String name;
  private final Process process;

  private RelayProcess(String name, Process process) {
    this.name = name;
    this.process = process;
  }

  static RelayProcess start(String name, WorkDirectory directory, String jdbcUrl)
      throws IOException {
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    "-Xmx256m",
                    "-XX:+UseSerialGC",
                    SecondRelay.class.getName(),
                    name,
                    directory.path().toString()))
            .redirectErrorStream(true)
            .redirectOutput(directory.output(name))
            .start();
    OutputStream input = process.getOutputStream();
    input.write((jdbcUrl + "\n").getBytes(StandardCharsets.UTF_8));
    input.flush();
    return new RelayProcess(name, process);
  }

  String name() {
    return name;
  }

  boolean alive() {
    return process.isAlive();
  }

  /** Kills it as a crash would (SIGKILL), and waits until it is gone. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Stops it in the orderly way, or kills it if that takes too long. */
  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    try {
      if (!process.waitFor(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        kill();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
