/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.verification.history.History;
import io.posthorn.verification.instance.InstanceMain;
import io.posthorn.verification.instance.InstanceSettings;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The JVM of one life of an application instance. */
final class Instance {
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(30);
  private static final int ENDING_SECONDS = 10;

  private final InstanceSettings settings;
  private final Process process;
  private final Writer input;

  private Instance(InstanceSettings settings, Process process) {
    this.settings = settings;
    this.process = process;
    this.input = process.outputWriter(UTF_8);
  }

  static Instance start(InstanceSettings settings, String url) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx" + settings.tuning().heapMebibytes() + "m");
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
    command.add(ClassPath.ofInstances());
    command.add(InstanceMain.class.getName());
    command.addAll(settings.arguments());
    Path log = settings.directory().resolve("log-" + settings.life());
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    Instance instance = new Instance(settings, process);
    instance.send(url);
    return instance;
  }

  String life() {
    return settings.life();
  }

  /** Whether it does not publish, or has stopped to do so. */
  boolean quiet() {
    return settings.perSecond() == 0
        || Files.exists(History.quietFile(settings.directory(), settings.life()));
  }

  /** Whether it publishes when it is told to. */
  boolean mayWrite() {
    return settings.perSecond() > 0;
  }

  boolean alive() {
    return process.isAlive();
  }

  void send(String line) throws IOException {
    try {
      input.write(line + "\n");
      input.flush();
    } catch (IOException e) {
      if (!endsSoon()) {
        throw e;
      }
    }
  }

  /** Its end of the pipe is closed a moment before it counts as ended. */
  private boolean endsSoon() {
    try {
      return process.waitFor(ENDING_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Ends it as a crash would, and waits until it is gone. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  void freeze() throws IOException, InterruptedException {
    signal("STOP");
  }

  void thaw() throws IOException, InterruptedException {
    signal("CONT");
  }

  private void signal(String name) throws IOException, InterruptedException {
    if (process.isAlive()) {
      new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).start().waitFor();
    }
  }

  /**
   * Lets it stop in the orderly way.
   *
   * @return whether it did
   */
  boolean stop() throws IOException, InterruptedException {
    try {
      input.close();
    } catch (IOException e) {
      if (process.isAlive()) {
        throw e;
      }
    }
    if (process.waitFor(STOP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      return process.exitValue() == 0;
    }
    kill();
    return false;
  }
}
