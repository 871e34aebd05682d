/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.history;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** How the processes of a run are, each in a file of its own. */
public final class VitalsLog {
  public static final String PREFIX = "vitals-";
  private static final int WORDS = 7;

  private final LogFile file;

  /**
   * How a process was in the last seconds.
   *
   * @param heapBytes in use, garbage included
   * @param handles open files and sockets
   * @param deliveries that began since the last note
   * @param median of their latencies, in milliseconds
   * @param slow the latency that one of a hundred exceeds
   */
  public record Vitals(
      long millis,
      long heapBytes,
      int threads,
      long handles,
      long deliveries,
      long median,
      long slow) {
    /** Empty if the process died in the middle of the line. */
    public static Optional<Vitals> parse(String line) {
      String[] words = line.split(" ", -1);
      if (words.length != WORDS) {
        return Optional.empty();
      }
      return Optional.of(
          new Vitals(
              Long.parseLong(words[0]),
              Long.parseLong(words[1]),
              Integer.parseInt(words[2]),
              Long.parseLong(words[3]),
              Long.parseLong(words[4]),
              Long.parseLong(words[5]),
              Long.parseLong(words[6])));
    }

    private String line() {
      return "%d %d %d %d %d %d %d\n"
          .formatted(millis, heapBytes, threads, handles, deliveries, median, slow);
    }
  }

  public VitalsLog(Path directory, String life) throws IOException {
    this.file = new LogFile(directory.resolve(PREFIX + life));
  }

  public void note(Vitals vitals) {
    file.write(vitals.line());
  }
}
