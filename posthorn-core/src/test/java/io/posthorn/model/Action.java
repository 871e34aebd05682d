/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

/**
 * What one relay did, or what happened to it.
 *
 * @param subject a message, a partition or a relay, as the kind has it
 */
record Action(Kind kind, int relay, int subject) {

  /** The alphabet of the protocol. {@code %1$s} is the relay, the others are the subject. */
  enum Kind {
    JOIN("%1$s joins under a fresh incarnation"),
    SEND_HEARTBEAT("%1$s notes the time and sends a heartbeat"),
    STORE_HEARTBEAT("the database stores the heartbeat of %1$s, if its row is still there"),
    ANSWER_HEARTBEAT("%1$s gets the answer to its heartbeat"),
    BEGIN_SURVEY("%1$s makes the first half of a survey"),
    END_SURVEY("%1$s makes the second half of its survey"),
    EXPEL("%1$s expels %2$s"),
    TAKE("%1$s tries to take partition %3$d"),
    TAKE_UNANSWERED("%1$s tries to take partition %3$d, and the answer is lost"),
    BEGIN_READ("%1$s begins a read"),
    RETURN_READ("the read of %1$s returns"),
    PASS_CHECK("a worker of %1$s passes the deadline check for message %4$s"),
    START("%1$s starts the delivery of message %4$s"),
    END("%1$s ends the delivery of message %4$s"),
    LATE_CHECK("a worker of %1$s, expelled since the read, passes the check for message %4$s"),
    LATE_START("%1$s, expelled since the check, starts the delivery of message %4$s"),
    LATE_END("%1$s, expelled since the check, ends the delivery of message %4$s"),
    BEGIN_SETTLE("%1$s begins a settle: its instance row is there"),
    DELETE_MESSAGES("%1$s deletes what it delivered, not yet committed"),
    COMMIT_SETTLE("the settle of %1$s commits"),
    COMMIT_UNANSWERED("the settle of %1$s commits, and the answer is lost"),
    ANSWER_SETTLE("%1$s gets the answer to its settle"),
    DRAIN("%1$s begins to drain partition %3$d"),
    STOP("%1$s begins a clean stop"),
    RELEASE("%1$s releases partition %3$d"),
    RELEASE_UNANSWERED("%1$s releases partition %3$d, and the answer is lost"),
    LEAVE("%1$s deletes its own instance row and is gone"),
    FIND_EXPELLED("%1$s finds itself expelled and drops everything"),
    PAUSE("%1$s is paused"),
    PAUSE_AFTER_SENDING("%1$s notes the time, sends a heartbeat and is paused"),
    PAUSE_BEFORE_ANSWER("%1$s is paused before it gets the answer to the heartbeat just stored"),
    RESUME("%1$s wakes up"),
    PASS_DEADLINE("time passes: %1$s, paused, is now past its own deadline"),
    PASS_NOTED_TIME(
        "time passes: the heartbeat %1$s was sending when paused is older than a lease"),
    PASS_LEASE("time passes: the row of %1$s, paused, is now older than the lease"),
    ABORT_SETTLE("the database aborts the idle transaction of %1$s, paused");

    private final String story;

    Kind(String story) {
      this.story = story;
    }
  }

  static String relayName(int relay) {
    return String.valueOf((char) ('A' + relay));
  }

  @Override
  public String toString() {
    return kind.story.formatted(
        relayName(relay), relayName(Math.max(subject, 0)), subject, Lanes.nameOf(subject));
  }
}
