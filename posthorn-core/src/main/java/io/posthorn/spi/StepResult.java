/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * What one pass of a duty did.
 *
 * @param done how many things it moved on; zero: there was nothing to do
 * @param nextIn when the next pass is wanted, unless a nudge comes earlier
 * @since 0.1
 */
public record StepResult(int done, Duration nextIn) {
  public StepResult {
    requireNonNull(nextIn, "nextIn");
  }

  /** Some work was done, and there may be more. */
  public static StepResult again(int done) {
    return new StepResult(done, Duration.ZERO);
  }
}
