/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.spi.LoggerSource;
import java.text.MessageFormat;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs as the application does. By way of java.util.logging all that a stop has to say would be
 * lost: that has been reset by its own shutdown hook by then. Found as a service.
 *
 * @since 0.1
 */
public final class Slf4jLoggers implements LoggerSource {
  @Override
  public System.Logger logger(String name) {
    return new Forwarding(LoggerFactory.getLogger(name));
  }

  private record Forwarding(Logger logger) implements System.Logger {
    @Override
    public String getName() {
      return logger.getName();
    }

    @Override
    public boolean isLoggable(Level level) {
      return switch (level) {
        case OFF -> false;
        case ALL, TRACE -> logger.isTraceEnabled();
        case DEBUG -> logger.isDebugEnabled();
        case INFO -> logger.isInfoEnabled();
        case WARNING -> logger.isWarnEnabled();
        case ERROR -> logger.isErrorEnabled();
      };
    }

    @Override
    public void log(
        Level level,
        @Nullable ResourceBundle bundle,
        @Nullable String message,
        @Nullable Throwable thrown) {
      if (isLoggable(level)) {
        logger.makeLoggingEventBuilder(levelOf(level)).setCause(thrown).log(message);
      }
    }

    @Override
    public void log(
        Level level,
        @Nullable ResourceBundle bundle,
        @Nullable String format,
        @Nullable Object @Nullable ... arguments) {
      if (isLoggable(level)) {
        boolean plain = format == null || arguments == null || arguments.length == 0;
        log(
            level,
            bundle,
            plain ? format : MessageFormat.format(format, arguments),
            (Throwable) null);
      }
    }

    private static org.slf4j.event.Level levelOf(Level level) {
      return switch (level) {
        case ALL, TRACE -> org.slf4j.event.Level.TRACE;
        case OFF, DEBUG -> org.slf4j.event.Level.DEBUG;
        case INFO -> org.slf4j.event.Level.INFO;
        case WARNING -> org.slf4j.event.Level.WARN;
        case ERROR -> org.slf4j.event.Level.ERROR;
      };
    }
  }
}
