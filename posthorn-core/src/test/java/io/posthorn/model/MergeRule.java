/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

/** The rule of order as it is built, and the same with one thing done wrong. */
enum MergeRule {
  AS_BUILT,

  /** A ready row is queued whatever the deferred table has of its lane. */
  READY_READ_ASKS_FOR_NO_DEFERRED_ROWS,

  /** A deferred row is queued though earlier ready rows of its partition have not been read. */
  DEFERRED_ROW_DOES_NOT_WAIT_FOR_THE_READER,

  /** A read of deferred rows counts for those that were on their way to the table meanwhile. */
  DUE_READ_COUNTS_FOR_ROWS_ON_THEIR_WAY,

  /** A closed lane is forgotten when it comes to rest, though a read is under way. */
  CLOSED_LANE_IS_FORGOTTEN_AT_ONCE,

  /** What is queued behind a message that has failed stays queued. */
  FAILURE_LEAVES_ITS_LANE_OPEN,

  /** A failed message leaves its lane whatever the handler's policy is. */
  EVERY_FAILURE_IS_PASSED,

  /** Where failed messages are passed, those that are given back for lack of room are too. */
  WHAT_IS_GIVEN_BACK_IS_PASSED,

  /** The outcome of a row can be stored before the split that writes the row. */
  OUTCOME_OVERTAKES_ITS_SPLIT,

  /** Nobody gives the first row of a lane a time. */
  SETTLE_GIVES_NO_TIME,

  /** A settle and a handler's transaction change a lane without a lock on its first row. */
  FIRST_ROW_IS_NOT_LOCKED,

  /** A transactional handler delivers from a ready row that others share. */
  TRANSACTIONAL_HANDLER_SHARES_ITS_ROW,

  /** A transactional handler's row is settled by the relay, after the commit. */
  EFFECT_COMMITS_WITHOUT_ITS_ROW,

  /** A transactional handler whose row is not there commits its effect all the same. */
  MISSING_ROW_IS_NOT_NOTICED,

  /** Reads begin above what was read, though somebody may still commit a lower seq. */
  FLOOR_PASSES_AN_OPEN_TRANSACTION,

  /** The floor for the next owner is above rows that are only in memory. */
  STORED_FLOOR_PASSES_WHAT_IS_IN_MEMORY,

  /** A retry is queued before the message of which it is stored that it is delivered next. */
  RETRY_GOES_BEFORE_THE_NOTED_MESSAGE
}
