/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.stream.Stream;

/** Where the figures come from. */
final class Machine {
  private static final Path CPU = Path.of("/proc/cpuinfo");

  private Machine() {}

  static String describe(String server) {
    return "%s: %d cores (%s), %s, JDK %s, %s"
        .formatted(
            LocalDate.now(ZoneOffset.UTC),
            Runtime.getRuntime().availableProcessors(),
            processor(),
            System.getProperty("os.name"),
            System.getProperty("java.version"),
            server);
  }

  private static String processor() {
    try (Stream<String> lines = Files.lines(CPU)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).trim())
          .findFirst()
          .orElse("unknown processor");
    } catch (IOException e) {
      return "unknown processor";
    }
  }
}
