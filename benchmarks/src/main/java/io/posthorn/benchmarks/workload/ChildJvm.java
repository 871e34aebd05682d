/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A JVM with this class path that answers lines with lines. What it logs goes to a file. It is to
 * end with its standard input, so it does not outlive this process.
 */
public final class ChildJvm implements AutoCloseable {
  private static final Duration EXIT_PATIENCE = Duration.ofSeconds(30);
  private static final String END = "\0end";

  private final Process process;
  private final Writer input;
  private final Path log;
  private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();

  private ChildJvm(Process process, Path log) {
    this.process = process;
    this.input = process.outputWriter(UTF_8);
    this.log = log;
  }

  public static ChildJvm start(
      Class<?> main, List<String> arguments, List<String> jvmOptions, Path log) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    ChildJvm child = new ChildJvm(process, log);
    Thread reader = new Thread(child::read, "reader of " + log.getFileName());
    reader.setDaemon(true);
    reader.start();
    return child;
  }

  private void read() {
    try (BufferedReader output = process.inputReader(UTF_8)) {
      output.lines().forEach(lines::add);
    } catch (IOException | UncheckedIOException e) {
      // Its end, which is said below.
    }
    lines.add(END);
  }

  public void send(String line) throws IOException {
    try {
      input.write(line + "\n");
      input.flush();
    } catch (IOException e) {
      throw new IOException("a process has ended, see " + log, e);
    }
  }

  /**
   * @return the next line, or null if none came in time
   * @throws IOException if the process has ended
   */
  public @Nullable String poll(Duration patience) throws IOException, InterruptedException {
    String line = lines.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
    if (END.equals(line)) {
      lines.add(END);
      throw new IOException("a process has ended, see " + log);
    }
    return line;
  }

  String ask(String line, Duration patience) throws IOException, InterruptedException {
    send(line);
    String answer = poll(patience);
    if (answer == null) {
      throw new IOException("no answer to \"" + line + "\" within " + patience + ", see " + log);
    }
    return answer;
  }

  /** Ends it by ending its standard input, or by force. */
  @Override
  public void close() {
    try {
      input.close();
    } catch (IOException e) {
      // It has ended already.
    }
    try {
      if (!process.waitFor(EXIT_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  /** Ends it at once. */
  public void kill() {
    process.destroyForcibly();
  }
}
