/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.Action.Kind;
import io.posthorn.model.Database.InstanceRow;
import io.posthorn.model.Database.PartitionRow;
import io.posthorn.model.Flights.Phase;
import io.posthorn.model.Relay.Holding;
import io.posthorn.model.Relay.Holding.Grip;
import io.posthorn.model.Relay.Mode;

/** Drains and releases partitions, because others are owed a share or at a clean stop. */
final class HandOverDuty implements Duty {

  @Override
  public void addSteps(Turn turn) {
    Relay relay = turn.relay();
    if (relay.mode() == Mode.JOINED && turn.fleet().budget().handOvers() > 0) {
      drain(turn);
      stop(turn);
    }
    if (!leaseThreadIsFree(turn)) {
      return;
    }
    if (relay.mode() == Mode.STOPPING && relay.holdsNothing()) {
      Database left = turn.database().withInstance(turn.number(), InstanceRow.NONE);
      turn.add(Kind.LEAVE, turn.fleet().with(turn.number(), relay.drop(0)).with(left));
    }
    for (int partition = 0; partition < relay.holdings().size(); partition++) {
      release(turn, partition);
    }
  }

  /**
   * One thread does surveys, takes and releases, so that a survey is not outdated by its own relay.
   */
  private static boolean leaseThreadIsFree(Turn turn) {
    return turn.relay().survey() instanceof Survey.None || turn.is(Protocol.RELEASE_DURING_SURVEY);
  }

  private static void drain(Turn turn) {
    for (int partition = 0; partition < turn.relay().holdings().size(); partition++) {
      if (turn.relay().owns(partition)) {
        turn.add(Kind.DRAIN, partition, lessOne(turn, draining(turn.relay(), partition)));
      }
    }
  }

  private static void stop(Turn turn) {
    Relay stopping = turn.relay().withMode(Mode.STOPPING);
    for (int partition = 0; partition < stopping.holdings().size(); partition++) {
      stopping = stopping.owns(partition) ? draining(stopping, partition) : stopping;
    }
    turn.add(Kind.STOP, lessOne(turn, stopping));
  }

  private static Fleet lessOne(Turn turn, Relay relay) {
    return turn.fleet().with(turn.number(), relay).with(turn.fleet().budget().lessOneHandOver());
  }

  /** What only waits in memory is dropped; what a worker is busy with is waited for. */
  private static Relay draining(Relay relay, int partition) {
    int waiting = relay.work().inFlight().in(Phase.QUEUED) & Lanes.allOf(partition);
    Work work = relay.work().with(relay.work().inFlight().without(waiting));
    Holding holding = relay.holding(partition).as(Grip.DRAINING);
    return relay.with(work).withHolding(partition, holding);
  }

  private static void release(Turn turn, int partition) {
    Relay relay = turn.relay();
    Grip grip = relay.holding(partition).grip();
    boolean due = grip == Grip.RELEASING || (grip == Grip.DRAINING && isDrained(turn, partition));
    boolean fenced = !turn.is(Protocol.RELEASE_WITHOUT_LOCK_ON_INSTANCE_ROW);
    if (due && fenced && turn.expelled()) {
      turn.addDrop();
    } else if (due) {
      Fleet after = turn.fleet().with(released(turn, partition));
      Relay given = relay.with(afterRelease(turn, partition));
      Relay free = given.withHolding(partition, Holding.NONE);
      turn.add(Kind.RELEASE, partition, after.with(turn.number(), free));
      if (turn.fleet().budget().lostAnswers() > 0) {
        Holding again = relay.holding(partition).as(Grip.RELEASING);
        turn.add(
            Kind.RELEASE_UNANSWERED,
            partition,
            after
                .with(turn.number(), given.withHolding(partition, again))
                .with(turn.fleet().budget().lessOneAnswer()));
      }
    }
  }

  private static boolean isDrained(Turn turn, int partition) {
    Work work = turn.relay().work();
    int unsettled = work.inFlight().in(Phase.DELIVERED);
    int waitedFor = turn.is(Protocol.RELEASE_BEFORE_SETTLE) ? 0 : unsettled;
    return ((waitedFor | work.inFlight().busy()) & Lanes.allOf(partition)) == 0;
  }

  private static Database released(Turn turn, int partition) {
    PartitionRow row = turn.database().partition(partition);
    boolean mine = row.owner().equals(turn.fleet().ownerFor(turn.number()));
    return mine || turn.is(Protocol.RELEASE_WITHOUT_COMPARING_OWNER)
        ? turn.database().withPartition(partition, row.released())
        : turn.database();
  }

  /** A read belongs to the epoch in which it began: what it returns later is not looked at. */
  private static Work afterRelease(Turn turn, int partition) {
    Work work = turn.relay().work();
    int settled = work.inFlight().in(Phase.SETTLED) & Lanes.allOf(partition);
    Work forgotten = work.with(work.inFlight().without(settled));
    return turn.is(Protocol.READ_OUTLIVES_RELEASE)
        ? forgotten
        : forgotten.withRead(work.read() & ~Lanes.allOf(partition));
  }
}
