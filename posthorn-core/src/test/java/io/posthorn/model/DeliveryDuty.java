/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.Action.Kind;
import io.posthorn.model.Flights.Phase;

/** Reads rows into memory and delivers them: the check and the start are two steps. */
final class DeliveryDuty implements Duty {

  @Override
  public void addSteps(Turn turn) {
    read(turn);
    for (int message = 0; message < Lanes.room(turn.relay().holdings().size()); message++) {
      deliver(turn, message);
      finishLeftover(turn, message);
    }
  }

  private static void read(Turn turn) {
    Work work = turn.relay().work();
    if (work.read() != 0) {
      turn.add(Kind.RETURN_READ, turn.relay().with(returned(turn.relay())));
      return;
    }
    int rows = 0;
    for (int partition = 0; partition < turn.relay().holdings().size(); partition++) {
      if (turn.relay().owns(partition)) {
        rows |= turn.database().messages() & Lanes.allOf(partition);
      }
    }
    if (rows != 0) {
      turn.add(Kind.BEGIN_READ, turn.relay().with(work.withRead(rows)));
    }
  }

  private static Work returned(Relay relay) {
    Flights flights = relay.work().inFlight();
    for (int rows = relay.work().read(); rows != 0; rows &= rows - 1) {
      int message = Integer.numberOfTrailingZeros(rows);
      if (flights.of(message) == Phase.ABSENT && relay.owns(Lanes.partitionOf(message))) {
        flights = flights.with(message, Phase.QUEUED);
      }
    }
    Flights rest = flights.without(relay.work().inFlight().in(Phase.SETTLED));
    return relay.work().with(rest).withRead(0);
  }

  private static void deliver(Turn turn, int message) {
    Fleet fleet = turn.fleet();
    Relay relay = turn.relay();
    Work work = relay.work();
    switch (work.inFlight().of(message)) {
      case QUEUED -> {
        if (mayStart(turn, message)) {
          turn.add(Kind.PASS_CHECK, message, relay.with(moved(work, message, Phase.CHECKED)));
        }
      }
      case CHECKED -> {
        int epoch = relay.holding(Lanes.partitionOf(message)).epoch();
        boolean current = epoch == turn.database().partition(Lanes.partitionOf(message)).epoch();
        turn.add(
            Kind.START,
            message,
            fleet
                .with(turn.number(), relay.with(moved(work, message, Phase.RUNNING)))
                .with(fleet.observed().start(message, current)));
      }
      case RUNNING ->
          turn.add(
              Kind.END,
              message,
              fleet
                  .with(turn.number(), relay.with(moved(work, message, Phase.DELIVERED)))
                  .with(fleet.observed().end(message)));
      default -> {
        // Not in memory, or waiting to be settled.
      }
    }
  }

  private static boolean mayStart(Turn turn, int message) {
    Relay relay = turn.relay();
    boolean inTime = !relay.lease().deadlinePassed() || turn.is(Protocol.NO_DEADLINE_CHECK);
    return inTime && relay.owns(Lanes.partitionOf(message)) && laneIsFree(turn, message);
  }

  /** Nothing before this message waits or runs, also not from before an expulsion. */
  private static boolean laneIsFree(Turn turn, int message) {
    Flights flights = turn.relay().work().inFlight();
    int leftovers = turn.relay().work().leftovers().unfinished();
    boolean ahead =
        (flights.unfinished() & Lanes.before(message)) != 0
            && !turn.is(Protocol.LANE_DOES_NOT_WAIT);
    boolean occupied =
        (leftovers & Lanes.allOf(Lanes.partitionOf(message))) != 0
            && !turn.is(Protocol.LANE_IS_FORGOTTEN_WHEN_EXPELLED);
    return !ahead && !occupied;
  }

  private static Work moved(Work work, int message, Phase phase) {
    return work.with(work.inFlight().with(message, phase));
  }

  private static void finishLeftover(Turn turn, int message) {
    Fleet fleet = turn.fleet();
    Work work = turn.relay().work();
    if (work.leftovers().of(message) == Phase.QUEUED) {
      if (!turn.relay().out() && !turn.relay().lease().deadlinePassed()) {
        Flights checked = work.leftovers().with(message, Phase.CHECKED);
        turn.add(Kind.LATE_CHECK, message, turn.relay().with(work.withLeftovers(checked)));
      }
    } else if (work.leftovers().of(message) == Phase.CHECKED) {
      Flights running = work.leftovers().with(message, Phase.RUNNING);
      turn.add(
          Kind.LATE_START,
          message,
          fleet
              .with(turn.number(), turn.relay().with(work.withLeftovers(running)))
              .with(fleet.observed().start(message, false)));
    } else if (work.leftovers().of(message) == Phase.RUNNING) {
      Flights ended = work.leftovers().with(message, Phase.ABSENT);
      turn.add(
          Kind.LATE_END,
          message,
          fleet
              .with(turn.number(), turn.relay().with(work.withLeftovers(ended)))
              .with(fleet.observed().end(message)));
    }
  }
}
