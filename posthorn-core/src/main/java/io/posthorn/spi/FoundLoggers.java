/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** The source of loggers that is found as a service, or the default. */
final class FoundLoggers {
  static final LoggerSource SOURCE = find();

  private FoundLoggers() {}

  private static LoggerSource find() {
    try {
      return ServiceLoader.load(LoggerSource.class, LoggerSource.class.getClassLoader())
          .findFirst()
          .orElse(System::getLogger);
    } catch (ServiceConfigurationError | LinkageError e) { // what it logs by is not there
      return System::getLogger;
    }
  }
}
