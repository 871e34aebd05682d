/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

/**
 * What became of the messages. Each one counts once as lost, dead letter or delivered.
 *
 * @param published committed
 * @param delivered taken by every handler
 * @param lost missing at a handler, and not among its dead letters
 * @param duplicated deliveries too many that the killed relay does not explain
 * @param outOfOrder deliveries that came after a later message of the same handler and key
 * @param explainedDuplicates delivered again because the killed relay could not settle them
 * @param phantoms deliveries of messages that were never committed
 */
record Verdict(
    long published,
    long delivered,
    long lost,
    long duplicated,
    long outOfOrder,
    long deadLetters,
    long explainedDuplicates,
    long phantoms) {

  boolean good() {
    return lost == 0 && duplicated == 0 && outOfOrder == 0 && phantoms == 0;
  }

  String line() {
    return "published %d, delivered %d, lost %d, duplicated %d, out of order %d, dead letters %d"
        .formatted(published, delivered, lost, duplicated, outOfOrder, deadLetters);
  }
}
