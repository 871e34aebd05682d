/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Keeps what relays log. */
final class RelayLog extends Handler {
  private final Logger logger = Logger.getLogger("io.posthorn.relay");
  private final List<String> lines = new CopyOnWriteArrayList<>();

  static RelayLog open() {
    RelayLog log = new RelayLog();
    log.logger.addHandler(log);
    return log;
  }

  @Override
  public void publish(LogRecord record) {
    if (record.getLevel().intValue() >= Level.INFO.intValue()) {
      lines.add(record.getLevel().getName() + " " + new SimpleFormatter().formatMessage(record));
    }
  }

  /** Lines that contain a text. */
  List<String> with(String text) {
    return lines.stream().filter(line -> line.contains(text)).toList();
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
  }

  @Override
  public String toString() {
    return "log:\n  " + String.join("\n  ", lines);
  }
}
