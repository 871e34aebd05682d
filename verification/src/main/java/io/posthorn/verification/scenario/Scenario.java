/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.scenario;

import io.posthorn.verification.fleet.Fleet;
import java.util.Random;

/** Does things to a fleet until the time is over. */
@FunctionalInterface
interface Scenario {
  /**
   * @param random by the seed
   * @param end of {@link System#nanoTime()}
   */
  void run(Fleet fleet, Random random, long end) throws Exception;
}
