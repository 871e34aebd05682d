/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

/**
 * Where loggers come from. By default from {@link System#getLogger}, which is java.util.logging in
 * most programs: its own shutdown hook silences it before a program has ended. One that is found as
 * a service takes its place; the Spring Boot starter brings one that logs by SLF4J.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface LoggerSource {
  /** Makes a logger of this name. */
  System.Logger logger(String name);

  /** A logger of the source in use. */
  static System.Logger of(String name) {
    return FoundLoggers.SOURCE.logger(name);
  }
}
