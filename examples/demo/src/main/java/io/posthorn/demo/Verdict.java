/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

/**
 * What became of the messages. Each one counts once as lost, dead letter that is left, or
 * delivered.
 *
 * @param published committed
 * @param delivered taken by every handler, some as a dead letter that was retried
 * @param lost missing at a handler, and not among its dead letters
 * @param duplicated deliveries too many that the killed relay does not explain
 * @param outOfOrder deliveries that came after a later message of the same handler and key, which
 *     those of a retried dead letter may
 * @param explainedDuplicates delivered again because the killed relay could not settle them
 * @param phantoms deliveries of messages that were never committed
 */
record Verdict(
    long published,
    long delivered,
    long lost,
    long duplicated,
    long outOfOrder,
    DeadLetters deadLetters,
    long explainedDuplicates,
    long phantoms) {

  /**
   * What became of dead letters.
   *
   * @param found all that there were
   * @param unexpected those of messages that are not poisoned, and poisoned messages that were none
   * @param delivered after they were retried
   */
  record DeadLetters(long found, long unexpected, long delivered, long left) {
    static final DeadLetters NONE = new DeadLetters(0, 0, 0, 0);

    boolean good() {
      return unexpected == 0 && delivered == found && left == 0;
    }
  }

  boolean good() {
    return lost == 0 && duplicated == 0 && outOfOrder == 0 && phantoms == 0 && deadLetters.good();
  }

  String line() {
    return "published %d, delivered %d, lost %d, duplicated %d, out of order %d, dead letters %d (retried and delivered %d, left %d)"
        .formatted(
            published,
            delivered,
            lost,
            duplicated,
            outOfOrder,
            deadLetters.found(),
            deadLetters.delivered(),
            deadLetters.left());
  }
}
