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

/**
 * What happens to a relay: pauses, the time that passes during one, and what the database does with
 * the statements it was sent. Time passes for paused relays only; a relay that is merely slow
 * behaves like one that was paused and woke up.
 */
final class Misfortune implements Duty {

  @Override
  public void addSteps(Turn turn) {
    storeHeartbeat(turn);
    if (turn.relay().paused()) {
      turn.add(Kind.RESUME, turn.relay().withPaused(false));
      passTime(turn);
      abortSettle(turn);
    } else if (!turn.relay().out() && turn.fleet().budget().pauses() > 0) {
      pause(turn);
    }
  }

  /**
   * While a relay is in good time its heartbeats change nothing, so only those are steps of the
   * model that a pause interrupts.
   */
  private static void pause(Turn turn) {
    turn.add(Kind.PAUSE, paused(turn, turn.relay().lease().heartbeat()));
    if (turn.inGoodTime() && turn.relay().lease().heartbeat() == Heartbeat.NONE) {
      turn.add(Kind.PAUSE_AFTER_SENDING, paused(turn, Heartbeat.SENT));
      turn.add(Kind.PAUSE_BEFORE_ANSWER, paused(turn, Heartbeat.STORED));
    }
  }

  private static Fleet paused(Turn turn, Heartbeat interrupted) {
    return turn.fleet()
        .with(turn.number(), at(turn, interrupted).withPaused(true))
        .with(turn.fleet().budget().lessOnePause());
  }

  /** Also while the relay is paused: the statement was already on its way. */
  private static void storeHeartbeat(Turn turn) {
    Heartbeat sent = turn.relay().lease().heartbeat();
    if (sent != Heartbeat.SENT && sent != Heartbeat.SENT_LATE) {
      return;
    }
    if (turn.expelled()) {
      turn.add(Kind.STORE_HEARTBEAT, turn.fleet().with(turn.number(), at(turn, Heartbeat.REFUSED)));
    } else {
      Heartbeat stored = sent == Heartbeat.SENT ? Heartbeat.STORED : Heartbeat.STORED_LATE;
      Database fresh = turn.database().withInstance(turn.number(), InstanceRow.FRESH);
      turn.add(
          Kind.STORE_HEARTBEAT, turn.fleet().with(turn.number(), at(turn, stored)).with(fresh));
    }
  }

  private static Relay at(Turn turn, Heartbeat heartbeat) {
    Lease lease = turn.relay().lease();
    return turn.relay().with(new Lease(lease.deadlinePassed(), heartbeat));
  }

  /**
   * Time passes in the only order that clocks of the same speed allow: a relay notes the time
   * before the database stores its own, so each deadline of the relay passes before the row it
   * belongs to grows old.
   */
  private static void passTime(Turn turn) {
    Lease lease = turn.relay().lease();
    if (turn.relay().out()) {
      return;
    }
    if (!lease.deadlinePassed() && !turn.is(Protocol.DEADLINE_ON_A_CLOCK_THAT_SLEEPS)) {
      turn.add(Kind.PASS_DEADLINE, turn.relay().with(new Lease(true, lease.heartbeat())));
    } else if (lease.heartbeat() == Heartbeat.STORED) {
      turn.add(Kind.PASS_NOTED_TIME, at(turn, Heartbeat.STORED_LATE));
    } else if (turn.row() == InstanceRow.FRESH) {
      Database old = turn.database().withInstance(turn.number(), InstanceRow.PAST_ITS_END);
      turn.add(Kind.PASS_LEASE, turn.fleet().with(old));
    } else if (lease.heartbeat() == Heartbeat.SENT) {
      turn.add(Kind.PASS_NOTED_TIME, at(turn, Heartbeat.SENT_LATE));
    }
  }

  private static void abortSettle(Turn turn) {
    Work work = turn.relay().work();
    if (work.settle().open() && !turn.is(Protocol.NO_IDLE_IN_TRANSACTION_TIMEOUT)) {
      turn.add(Kind.ABORT_SETTLE, turn.relay().with(work.with(Settle.NONE)));
    }
  }
}
