/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

/**
 * A destination that goes down and comes back, at the same times for all instances.
 *
 * @param phase milliseconds by which the seed shifts the outages; negative: there are none
 */
record Destination(long phase) {
  private static final long PERIOD = 9_000;
  private static final long OUTAGE = 2_500;

  boolean isDown() {
    return phase >= 0 && (System.currentTimeMillis() + phase) % PERIOD < OUTAGE;
  }
}
