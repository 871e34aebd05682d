/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.input;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Everything that is logged by anybody at any level, stack traces included. */
final class CapturedLogs extends Handler implements AutoCloseable {
  private final Logger root = Logger.getLogger("");
  private final Level before = root.getLevel();
  private final List<String> lines = new CopyOnWriteArrayList<>();

  CapturedLogs() {
    setFormatter(new SimpleFormatter());
    setLevel(Level.ALL);
    root.setLevel(Level.ALL);
    root.addHandler(this);
  }

  List<String> lines() {
    return List.copyOf(lines);
  }

  @Override
  public void publish(LogRecord line) {
    lines.add(line.getLevel() + " " + getFormatter().format(line));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    root.removeHandler(this);
    root.setLevel(before);
  }
}
