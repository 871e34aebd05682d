/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Logs go to standard error, one line each but for stack traces, with the time in UTC. */
final class Logging {
  private static final String LEVEL_VARIABLE = "POSTHORN_LOG_LEVEL";

  /** A logger that nobody holds loses its level. */
  private static @Nullable Logger posthorn;

  private Logging() {}

  /** To be called before anything is logged. */
  static void configure() {
    System.setProperty("java.util.logging.manager", UntilTheEnd.class.getName());
    Logger root = Logger.getLogger("");
    for (Handler handler : root.getHandlers()) {
      root.removeHandler(handler);
    }
    Handler console = new ConsoleHandler();
    console.setLevel(Level.ALL);
    console.setFormatter(new OneLine());
    root.addHandler(console);
    root.setLevel(Level.WARNING);
    posthorn = Logger.getLogger("io.posthorn");
    posthorn.setLevel(level(System.getenv(LEVEL_VARIABLE)));
  }

  private static Level level(@Nullable String name) {
    if (name == null) {
      return Level.INFO;
    }
    return switch (name.strip().toUpperCase(Locale.ROOT)) {
      case "ERROR" -> Level.SEVERE;
      case "WARN", "WARNING" -> Level.WARNING;
      case "DEBUG" -> Level.FINE;
      case "TRACE" -> Level.FINEST;
      default -> Level.INFO;
    };
  }

  /** The usual one stops to log as soon as the process is asked to end. */
  public static final class UntilTheEnd extends LogManager {
    @Override
    public void reset() {
      // what is logged while a relay stops is what one wants to read
    }
  }

  private static final class OneLine extends Formatter {
    @Override
    public String format(LogRecord record) {
      String name = record.getLoggerName();
      return "%s %-7s %s: %s%n%s"
          .formatted(
              Instant.ofEpochMilli(record.getMillis()).truncatedTo(ChronoUnit.MILLIS),
              levelName(record.getLevel()),
              name == null ? "" : name.substring(name.lastIndexOf('.') + 1),
              formatMessage(record),
              trace(record));
    }

    private static String levelName(Level level) {
      if (level.intValue() >= Level.SEVERE.intValue()) {
        return "ERROR";
      }
      if (level.intValue() >= Level.WARNING.intValue()) {
        return "WARNING";
      }
      return level.intValue() >= Level.INFO.intValue() ? "INFO" : "DEBUG";
    }

    private static String trace(LogRecord record) {
      if (record.getThrown() == null) {
        return "";
      }
      StringWriter trace = new StringWriter();
      record.getThrown().printStackTrace(new PrintWriter(trace));
      return trace.toString();
    }
  }
}
