/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.twoservices;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A service in a JVM of its own. */
final class ServiceProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final List<String> command = new ArrayList<>();
  private final Path log;
  private Process process;

  private ServiceProcess(Class<?> main, Path log, String... arguments) throws IOException {
    this.log = log;
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    this.process = launch();
  }

  static ServiceProcess start(Class<?> main, Path log, String... arguments) throws IOException {
    return new ServiceProcess(main, log, arguments);
  }

  private Process launch() throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
        .start();
  }

  /** Ends it with SIGKILL, in the middle of whatever it does, and starts it again. */
  void killAndRestart() throws IOException, InterruptedException {
    process.destroyForcibly().waitFor();
    process = launch();
  }

  /**
   * Lets it stop in order.
   *
   * @throws IllegalStateException if it did not, or had ended before
   */
  void stop() throws IOException, InterruptedException {
    process.getOutputStream().close();
    if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS) || process.exitValue() != 0) {
      throw new IllegalStateException("a service did not stop in order; its log is " + log);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
