/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import java.util.EnumSet;
import java.util.Set;

/** What was done, and with which message of the lane; the first one is 1. */
record MergeAction(Kind kind, int message) {

  /** The alphabet of the merge. {@code %d} is the message. */
  enum Kind {
    PUBLISH("message %d is committed"),
    COMMIT_STRAY("a message of another key is committed that had drawn its seq before all others"),
    BEGIN_READ("a read of all ready rows begins"),
    BEGIN_SHORT_READ("a read of one ready row begins"),
    RETURN_READ("the read of ready rows returns"),
    BEGIN_DUE_READ("a read of deferred rows begins"),
    LOOK("the read of deferred rows looks at the table"),
    SHORT_LOOK("the read of deferred rows looks at the first of the lane"),
    RETURN_DUE_READ("the read of deferred rows returns"),
    NOTE("that message %d is delivered next is to be stored"),
    START("the delivery of message %d starts"),
    END("the delivery of message %d ends"),
    FAIL("the delivery of message %d fails"),
    DELETE_IN_TRANSACTION("the handler's transaction deletes the row of message %d"),
    COMMIT_DELIVERY("the handler's transaction for message %d commits"),
    COMMIT_DELIVERY_UNANSWERED("the same, and the answer for message %d is lost"),
    ANSWER_DELIVERY("the relay learns that the transaction for message %d has committed"),
    OTHER_ENDS("another handler is done with message %d"),
    OTHER_FAILS("another handler fails with message %d, which is split"),
    DELIVER_STRAY("the message of the other key is delivered and settled"),
    SETTLE_ALL("all outcomes are committed"),
    SETTLE_ONE("the first outcome is committed, that of message %d"),
    ANSWER_SETTLE("the relay gets the answer to its settle"),
    PASS_TIME("the time of message %d comes"),
    SPILL("what is queued is given back for lack of room"),
    STORE_FLOOR("the floor is stored"),
    DRAIN("the partition is drained"),
    RELEASE("the partition is released"),
    TAKE("the partition is taken"),
    CRASH("the relay dies");

    private final String story;

    Kind(String story) {
      this.story = story;
    }
  }

  private static final Set<Kind> NOT_TO_COUNT_ON =
      EnumSet.of(
          Kind.FAIL,
          Kind.OTHER_FAILS,
          Kind.COMMIT_DELIVERY_UNANSWERED,
          Kind.SPILL,
          Kind.DRAIN,
          Kind.CRASH);

  /** Whether it will happen, if nothing is in its way. */
  boolean canBeCountedOn() {
    return !NOT_TO_COUNT_ON.contains(kind);
  }

  @Override
  public String toString() {
    return kind.story.formatted(message + 1);
  }
}
