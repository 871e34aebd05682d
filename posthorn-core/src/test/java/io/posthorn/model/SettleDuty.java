/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.Action.Kind;
import io.posthorn.model.Flights.Phase;
import io.posthorn.model.Work.Settle;
import io.posthorn.model.Work.Settle.Stage;

/** One transaction: lock the own instance row, delete what was delivered, commit. */
final class SettleDuty implements Duty {

  @Override
  public void addSteps(Turn turn) {
    Work work = turn.relay().work();
    Settle settle = work.settle();
    switch (settle.stage()) {
      case NONE -> begin(turn, work);
      case LOCKED ->
          turn.add(Kind.DELETE_MESSAGES, turn.relay().with(work.with(settle.at(Stage.DELETED))));
      case DELETED -> commit(turn, work);
      case COMMITTED -> turn.add(Kind.ANSWER_SETTLE, turn.relay().with(answered(turn, work)));
    }
  }

  private static void begin(Turn turn, Work work) {
    int started =
        turn.is(Protocol.SETTLE_BEFORE_DELIVERY_ENDS) ? work.inFlight().in(Phase.RUNNING) : 0;
    int outcomes = work.inFlight().in(Phase.DELIVERED) | started;
    if (outcomes == 0) {
      return;
    }
    if (turn.expelled()) {
      turn.addDrop();
    } else {
      Settle settle = new Settle(Stage.LOCKED, outcomes);
      turn.add(Kind.BEGIN_SETTLE, turn.relay().with(work.with(settle)));
    }
  }

  private static void commit(Turn turn, Work work) {
    Fleet fleet = turn.fleet();
    Fleet after = fleet.with(turn.database().without(work.settle().messages()));
    Work committed = work.with(work.settle().at(Stage.COMMITTED));
    turn.add(Kind.COMMIT_SETTLE, after.with(turn.number(), turn.relay().with(committed)));
    if (fleet.budget().lostAnswers() > 0) {
      // The outcomes stay in memory and are settled again.
      turn.add(
          Kind.COMMIT_UNANSWERED,
          after
              .with(turn.number(), turn.relay().with(work.with(Settle.NONE)))
              .with(fleet.budget().lessOneAnswer()));
    }
  }

  /** A read under way may have begun before the commit: what it will return stays in flight. */
  private static Work answered(Turn turn, Work work) {
    int settled = work.settle().messages() & work.inFlight().in(Phase.DELIVERED);
    int readAgain = turn.is(Protocol.SEQ_LEAVES_IN_FLIGHT_AT_ONCE) ? 0 : settled & work.read();
    Flights flights = work.inFlight().without(settled);
    for (int rest = readAgain; rest != 0; rest &= rest - 1) {
      flights = flights.with(Integer.numberOfTrailingZeros(rest), Phase.SETTLED);
    }
    return work.with(flights).with(Settle.NONE);
  }
}
