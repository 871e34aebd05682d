/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What PostgreSQL wrote into {@code postmaster.pid} about its System V shared memory, a tiny
 * segment by which a starting server finds out whether processes of an earlier one are still about.
 */
record PostmasterFile(long memoryKey, long memoryId) {

  private static final int MEMORY_LINE = 6;
  private static final int KEY = 0;
  private static final int ID = 1;
  private static final int ATTACHED = 6;

  /** Empty after an orderly stop, which removes the file, and early during a start. */
  static Optional<PostmasterFile> in(Path data) {
    try {
      List<String> lines = Files.readAllLines(data.resolve("postmaster.pid"));
      if (lines.size() <= MEMORY_LINE) {
        return Optional.empty();
      }
      long[] numbers = numbers(lines.get(MEMORY_LINE));
      return Optional.of(new PostmasterFile(numbers[KEY], numbers[ID]));
    } catch (IOException none) {
      return Optional.empty();
    }
  }

  /** Whether a process is attached: the same question PostgreSQL asks when it starts. */
  boolean memoryInUse() {
    return segment().filter(numbers -> numbers[ATTACHED] > 0).isPresent();
  }

  /** Removes the segment if it is still there and nobody uses it. */
  void freeMemory() {
    if (segment().filter(numbers -> numbers[ATTACHED] == 0).isPresent()) {
      Command.of("ipcrm", "-m", Long.toString(memoryId)).succeeds(Duration.ofSeconds(5));
    }
  }

  private Optional<long[]> segment() {
    try {
      return Files.readAllLines(Path.of("/proc/sysvipc/shm")).stream()
          .skip(1)
          .map(PostmasterFile::numbers)
          .filter(numbers -> numbers[KEY] == memoryKey && numbers[ID] == memoryId)
          .findFirst();
    } catch (IOException noSystemV) {
      return Optional.empty();
    }
  }

  private static long[] numbers(String line) {
    return List.of(line.strip().split(" +")).stream().mapToLong(Long::parseLong).toArray();
  }
}
