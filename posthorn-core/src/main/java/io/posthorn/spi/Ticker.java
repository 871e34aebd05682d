/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

/**
 * Elapsed time that nobody can set.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface Ticker {
  /** Nanoseconds since some fixed point; may overflow, so compare differences. */
  long nanos();

  /** The JVM's own. */
  static Ticker system() {
    return System::nanoTime;
  }
}
