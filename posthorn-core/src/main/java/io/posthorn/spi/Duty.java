/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * A background duty of a relay, done a pass at a time by one thread at a time.
 *
 * @since 0.1
 */
public interface Duty {
  /**
   * One word: {@code lease}, {@code read}, {@code settle}, {@code wake}, {@code signal}, {@code
   * purge}.
   */
  String name();

  /** Does one pass on the calling thread. */
  StepResult runOnce();

  /**
   * What one pass did.
   *
   * @param done how many things it moved on; zero: there was nothing to do
   * @param nextIn when the next pass is wanted, unless a nudge comes earlier
   * @param rest for so long there is no pass, whoever nudges
   */
  record StepResult(int done, Duration nextIn, Duration rest) {
    public StepResult {
      requireNonNull(nextIn, "nextIn");
      requireNonNull(rest, "rest");
    }

    /** A nudge brings the next pass at once. */
    public StepResult(int done, Duration nextIn) {
      this(done, nextIn, Duration.ZERO);
    }

    /** Some work was done, and there may be more. */
    public static StepResult again(int done) {
      return new StepResult(done, Duration.ZERO);
    }
  }
}
