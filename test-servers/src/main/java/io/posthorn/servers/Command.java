/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program with its arguments, to be run to its end. */
record Command(List<String> words) {

  Command {
    words = List.copyOf(words);
  }

  static Command of(String... words) {
    return new Command(List.of(words));
  }

  Command behind(List<String> prefix) {
    List<String> all = new ArrayList<>(prefix);
    all.addAll(words);
    return new Command(all);
  }

  Command with(List<String> more) {
    List<String> all = new ArrayList<>(words);
    all.addAll(more);
    return new Command(all);
  }

  /** Runs it and tells whether it could be started and ended with status 0; drops its output. */
  boolean succeeds(Duration limit) {
    try {
      ProcessBuilder builder = quietBuilder().redirectOutput(ProcessBuilder.Redirect.DISCARD);
      return status(builder.start(), limit) == 0;
    } catch (IOException cannotRun) {
      return false;
    }
  }

  /** Runs it in a directory; what it prints goes to a file there and into the failure, if any. */
  void run(Path directory, Duration limit) throws IOException {
    Path output = directory.resolve("output.log");
    ProcessBuilder builder = quietBuilder().directory(directory.toFile());
    int status = status(builder.redirectOutput(output.toFile()).start(), limit);
    if (status != 0) {
      throw new IOException(
          String.join(" ", words)
              + " ended with status "
              + status
              + ":\n"
              + Files.readString(output));
    }
  }

  /** A builder with no inherited settings, so that PGPORT and the like cannot interfere. */
  ProcessBuilder quietBuilder() {
    ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
    builder.environment().keySet().retainAll(List.of("PATH"));
    builder.environment().put("LC_ALL", "C");
    builder.environment().put("TZ", "UTC");
    return builder;
  }

  private int status(Process process, Duration limit) throws IOException {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IOException(words.get(0) + " did not end within " + limit.toSeconds() + " s");
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while " + words.get(0) + " ran", e);
    } finally {
      process.destroyForcibly();
    }
  }
}
