/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.Action.Kind;
import io.posthorn.model.Database.InstanceRow;
import io.posthorn.model.Relay.Heartbeat;
import io.posthorn.model.Relay.Lease;
import io.posthorn.model.Work.Settle;

/** Joins, keeps the own lease, and expels those who let theirs pass. */
final class LeaseDuty implements Duty {

  @Override
  public void addSteps(Turn turn) {
    if (turn.relay().out()) {
      join(turn);
    } else {
      heartbeat(turn);
      expel(turn);
    }
  }

  private static void join(Turn turn) {
    Database joined = turn.database().withInstance(turn.number(), InstanceRow.FRESH);
    turn.add(Kind.JOIN, turn.fleet().with(turn.number(), turn.relay().join()).with(joined));
  }

  private static void heartbeat(Turn turn) {
    Lease lease = turn.relay().lease();
    switch (lease.heartbeat()) {
      case NONE -> send(turn, lease);
      case STORED -> answer(turn, false);
      case STORED_LATE -> answer(turn, !turn.is(Protocol.DEADLINE_FROM_THE_ANSWER));
      case REFUSED -> turn.addDrop();
      case SENT, SENT_LATE -> {
        // The next step is the database's.
      }
    }
  }

  /** In good time it would lead back to the same state, unless a pause comes in between. */
  private static void send(Turn turn, Lease lease) {
    if (!turn.inGoodTime()) {
      Lease sent = new Lease(lease.deadlinePassed(), Heartbeat.SENT);
      turn.add(Kind.SEND_HEARTBEAT, turn.relay().with(sent));
    }
  }

  private static void answer(Turn turn, boolean deadlinePassed) {
    Lease renewed = new Lease(deadlinePassed, Heartbeat.NONE);
    turn.add(Kind.ANSWER_HEARTBEAT, turn.relay().with(renewed));
  }

  /**
   * Rows that a settle has locked are skipped. One step, though it locks two rows one after the
   * other: a heartbeat that comes in between waits until it has ended.
   */
  private static void expel(Turn turn) {
    Fleet fleet = turn.fleet();
    for (int other = 0; other < fleet.relays().size(); other++) {
      if (other != turn.number()
          && looksStale(turn, turn.database().instance(other))
          && !rowLocked(turn, fleet.relay(other).work().settle())) {
        Database expelled = turn.database().withInstance(other, InstanceRow.NONE);
        turn.add(Kind.EXPEL, other, fleet.with(expelled).with(fleet.observed().withExpulsion()));
      }
    }
  }

  private static boolean looksStale(Turn turn, InstanceRow row) {
    return row == InstanceRow.PAST_ITS_END
        || (row == InstanceRow.FRESH && turn.is(Protocol.OTHERS_ARE_JUDGED_BY_ONES_OWN_LEASE));
  }

  private static boolean rowLocked(Turn turn, Settle settle) {
    return settle.open() && !turn.is(Protocol.WITHOUT_LOCK_ON_INSTANCE_ROW);
  }
}
