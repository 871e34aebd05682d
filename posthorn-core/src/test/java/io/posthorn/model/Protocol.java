/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

/** The protocol as it is built, and the same with one thing done wrong. */
enum Protocol {
  AS_BUILT,

  /** A settle looks whether its instance row is there, but does not lock it. */
  WITHOUT_LOCK_ON_INSTANCE_ROW,

  /** A take does not look at the relay's own instance row at all. */
  TAKE_WITHOUT_LOCK_ON_INSTANCE_ROW,

  /**
   * A relay is expelled when its heartbeat is older than the lease of the one who looks, which may
   * be shorter than its own; or, which looks the same, by a heartbeat that is no longer its last.
   */
  OTHERS_ARE_JUDGED_BY_ONES_OWN_LEASE,

  /** A heartbeat that looks old is enough to take the partitions; the row is deleted later. */
  TAKE_BEFORE_EXPEL,

  /** A take does not ask whether the epoch is still the one that the survey saw. */
  TAKE_WITHOUT_COMPARING_EPOCH,

  /** The epoch stays as it is when a partition changes hands. */
  TAKE_WITHOUT_RAISING_EPOCH,

  /** The survey reads the instances first: it misses who joins and takes in between. */
  SURVEY_INSTANCES_BEFORE_PARTITIONS,

  /** A relay that is named as owner of a partition it does not hold leaves it be. */
  TAKE_WITHOUT_ANSWER_IS_FORGOTTEN,

  /** A partition is released when its deliveries have ended; their outcomes are stored later. */
  RELEASE_BEFORE_SETTLE,

  /** A release does not look at the relay's own instance row. */
  RELEASE_WITHOUT_LOCK_ON_INSTANCE_ROW,

  /** A release that is tried again does not ask who owns the partition by now. */
  RELEASE_WITHOUT_COMPARING_OWNER,

  /** Another thread releases while the lease thread is in the middle of a survey. */
  RELEASE_DURING_SURVEY,

  /** Rows of a read are accepted although the partition was released since the read began. */
  READ_OUTLIVES_RELEASE,

  /** A seq leaves the in-flight set as soon as its settle is answered. */
  SEQ_LEAVES_IN_FLIGHT_AT_ONCE,

  /** A message is settled once its delivery has started. */
  SETTLE_BEFORE_DELIVERY_ENDS,

  /** The next message of a lane starts while the one before it is still being delivered. */
  LANE_DOES_NOT_WAIT,

  /** An expelled relay also forgets which lanes its workers are still busy with. */
  LANE_IS_FORGOTTEN_WHEN_EXPELLED,

  /** A worker may see the partition held in one life of the relay, and the deadline of the next. */
  DEADLINE_OF_THE_NEXT_LIFE,

  /** Workers do not look at the relay's own deadline. */
  NO_DEADLINE_CHECK,

  /** The deadline runs from the answer to the heartbeat, not from before it was sent. */
  DEADLINE_FROM_THE_ANSWER,

  /** The deadline runs on a clock that stands still while the machine is suspended. */
  DEADLINE_ON_A_CLOCK_THAT_SLEEPS,

  /** The database lets a session stay idle in a transaction for as long as it likes. */
  NO_IDLE_IN_TRANSACTION_TIMEOUT
}
