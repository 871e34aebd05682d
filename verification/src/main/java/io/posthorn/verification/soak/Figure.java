/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.soak;

import java.util.Locale;

/** What is measured over time, and how far it may drift. */
enum Figure {
  DELIVERIES_PER_SECOND(new Drift(false, 0.35, 20)),
  MEDIAN_LATENCY_MS(new Drift(true, 1, 200)),
  SLOW_LATENCY_MS(new Drift(true, 1, 3_000)),
  HEAP_MIB(new Drift(true, 0.3, 16)),
  THREADS(new Drift(true, 0.2, 8)),
  FILE_HANDLES(new Drift(true, 0.2, 16)),
  HARNESS_HEAP_MIB(new Drift(true, 0.5, 128)),
  TABLES_MIB(new Drift(true, 0.5, 32)),
  INDEXES_MIB(new Drift(true, 0.5, 32)),
  DEAD_TUPLES(new Drift(true, 1, 20_000));

  private final Drift drift;

  Figure(Drift drift) {
    this.drift = drift;
  }

  Drift drift() {
    return drift;
  }

  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
