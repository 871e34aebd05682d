/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A process by its id and the clock tick of its birth, so that a later process with the same id is
 * not taken for it.
 */
record ProcessStamp(long pid, long birthTick) {

  private static final Pattern NAME = Pattern.compile("(\\d+)-(\\d+)-.*");

  // Fields of /proc/<pid>/stat counted from the one after the command name, which may hold spaces.
  private static final int STATE = 0;
  private static final int BIRTH_TICK = 19;

  static ProcessStamp ofThisJvm() {
    long pid = ProcessHandle.current().pid();
    return of(pid)
        .orElseThrow(
            () ->
                new ServerException("No /proc/" + pid + "/stat found: mount the proc filesystem"));
  }

  /** Whether SIGSTOP has reached it. */
  static boolean standsStill(long pid) {
    try {
      return fields(pid)[STATE].equals("T");
    } catch (IOException gone) {
      return false;
    }
  }

  private static String[] fields(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
  }

  /** Empty also for a process that has ended and that its parent has not asked about yet. */
  static Optional<ProcessStamp> of(long pid) {
    try {
      String[] fields = fields(pid);
      return fields[STATE].equals("Z")
          ? Optional.empty()
          : Optional.of(new ProcessStamp(pid, Long.parseLong(fields[BIRTH_TICK])));
    } catch (IOException gone) {
      return Optional.empty();
    }
  }

  /** Reads the stamp at the beginning of a file name written by {@link #prefix()}. */
  static Optional<ProcessStamp> parse(String name) {
    Matcher matcher = NAME.matcher(name);
    return matcher.matches()
        ? Optional.of(
            new ProcessStamp(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2))))
        : Optional.empty();
  }

  String prefix() {
    return pid + "-" + birthTick + "-";
  }

  boolean alive() {
    return of(pid).filter(this::equals).isPresent();
  }
}
