/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.run;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Keeps the lines that relays log, with their levels: {@code WARNING text}. */
public final class RelayLog implements AutoCloseable {
  private static final Logger OF_RELAYS = Logger.getLogger("io.posthorn.relay");

  private final List<String> lines = new ArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          lines.add(line.getLevel().getName() + " " + new SimpleFormatter().formatMessage(line));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  public RelayLog() {
    OF_RELAYS.addHandler(handler);
  }

  public List<String> lines() {
    return List.copyOf(lines);
  }

  @Override
  public void close() {
    OF_RELAYS.removeHandler(handler);
  }
}
