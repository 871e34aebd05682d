/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

/**
 * How publishers pass the gates and a reader moves its floor: as built, or with one thing wrong.
 */
enum GateRule {
  AS_BUILT,
  SEQ_IS_DRAWN_BEFORE_THE_GATE,
  GATE_IS_LEFT_BEFORE_THE_COMMIT_SHOWS,
  FLOOR_MOVES_WITHOUT_ANOTHER_READ,
  GATES_SEEN_FREE_BEFORE_THE_MARK_COUNT,
  ONE_FREE_GATE_IS_ENOUGH
}
