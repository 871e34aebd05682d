/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Keeps what outboxes log at INFO and above. */
public final class LoggedLines extends Handler implements AutoCloseable {
  private final Logger logger = Logger.getLogger("io.posthorn");
  private final List<Line> lines = new CopyOnWriteArrayList<>();

  /**
   * One line.
   *
   * @param thrown null if there is no stack trace
   */
  public record Line(String text, Throwable thrown) {}

  public LoggedLines() {
    logger.addHandler(this);
  }

  @Override
  public void publish(LogRecord record) {
    if (record.getLevel().intValue() >= Level.INFO.intValue()) {
      String text = new SimpleFormatter().formatMessage(record);
      lines.add(new Line(record.getLevel().getName() + " " + text, record.getThrown()));
    }
  }

  /** Lines that contain a text. */
  public List<Line> with(String text) {
    return lines.stream().filter(line -> line.text().contains(text)).toList();
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
  }
}
