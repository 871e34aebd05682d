/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Repeats duties: on threads in production, on the calling thread in tests.
 *
 * @since 0.1
 */
public interface DutyRunner {
  /** Begins to repeat a duty. */
  RunningDuty start(Duty duty);

  /**
   * Waits until the duties have brought something about.
   *
   * @return whether the condition holds; false after the timeout
   */
  boolean await(BooleanSupplier condition, Duration timeout);

  /** A duty that is being repeated. */
  interface RunningDuty {
    /** Asks for a pass now. Cheap, and callable from any thread. */
    void nudge();

    /**
     * Ends the repetition after the pass under way. Idempotent.
     *
     * @return false if the pass had not ended when the timeout was over
     */
    boolean stop(Duration timeout);
  }
}
