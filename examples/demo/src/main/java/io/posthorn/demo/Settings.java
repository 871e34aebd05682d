/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the command line asked for.
 *
 * @param rate messages a second
 * @param product of the database, embedded or not
 * @param jdbcUrl null: an embedded database
 * @param json null: no file
 */
record Settings(
    Duration duration, int rate, Product product, @Nullable String jdbcUrl, @Nullable Path json) {
  static final Duration DEFAULT_DURATION = Duration.ofSeconds(20);
  static final int DEFAULT_RATE = 500;

  /** Never the URL: it may hold a password. */
  @Override
  public String toString() {
    return "Settings[duration=%s, rate=%d, product=%s, json=%s]"
        .formatted(duration, rate, product, json);
  }
}
