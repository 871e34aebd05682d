/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.Action.Kind;
import io.posthorn.model.Database.InstanceRow;
import io.posthorn.model.Database.Owner;
import io.posthorn.model.Database.PartitionRow;
import io.posthorn.model.Relay.Holding;
import io.posthorn.model.Relay.Holding.Grip;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Looks for free partitions and takes them. */
final class OwnershipDuty implements Duty {

  @Override
  public void addSteps(Turn turn) {
    Survey survey = turn.relay().survey();
    if (survey instanceof Survey.None && turn.relay().mode() == Relay.Mode.JOINED) {
      beginSurvey(turn);
    } else if (survey instanceof Survey.SawPartitions seen) {
      endSurvey(turn, seen.partitions(), owner -> liveNow(turn, owner));
    } else if (survey instanceof Survey.SawInstances seen) {
      endSurvey(turn, turn.database().partitions(), owner -> liveThen(seen, owner));
    } else if (survey instanceof Survey.Free free) {
      take(turn, free);
    }
  }

  /** As long as nobody else releases its partitions, one that holds them all would find nothing. */
  private static void beginSurvey(Turn turn) {
    boolean holdsAll =
        turn.relay().holdings().stream().noneMatch(holding -> holding.grip() == Grip.NONE);
    if (!holdsAll || turn.is(Protocol.RELEASE_DURING_SURVEY)) {
      boolean wrongWayRound = turn.is(Protocol.SURVEY_INSTANCES_BEFORE_PARTITIONS);
      Survey half =
          wrongWayRound
              ? instances(turn.fleet())
              : new Survey.SawPartitions(turn.database().partitions());
      turn.add(Kind.BEGIN_SURVEY, turn.relay().with(half));
    }
  }

  private static Survey instances(Fleet fleet) {
    return new Survey.SawInstances(
        fleet.database().instances().stream().map(row -> row != InstanceRow.NONE).toList(),
        fleet.relays().stream().map(Relay::incarnation).toList());
  }

  private static boolean liveThen(Survey.SawInstances seen, Owner owner) {
    return seen.live().get(owner.relay())
        && seen.incarnations().get(owner.relay()) == owner.incarnation();
  }

  private static boolean liveNow(Turn turn, Owner owner) {
    boolean old = turn.database().instance(owner.relay()) == InstanceRow.PAST_ITS_END;
    return turn.fleet().isLive(owner) && !(old && turn.is(Protocol.TAKE_BEFORE_EXPEL));
  }

  private static void endSurvey(Turn turn, List<PartitionRow> seen, Predicate<Owner> live) {
    List<Integer> free = new ArrayList<>();
    Relay relay = turn.relay();
    for (int partition = 0; partition < seen.size(); partition++) {
      PartitionRow row = seen.get(partition);
      boolean held = turn.relay().holding(partition).grip() != Grip.NONE;
      boolean mine = row.owner().equals(turn.fleet().ownerFor(turn.number()));
      boolean nobodys = row.owner().equals(Owner.NOBODY) || !live.test(row.owner());
      free.add(!held && nobodys ? row.epoch() : Survey.Free.TAKEN);
      if (!held && mine && !turn.is(Protocol.TAKE_WITHOUT_ANSWER_IS_FORGOTTEN)) {
        // A take succeeded and its answer was lost.
        relay = holding(relay, partition, row.epoch());
      }
    }
    boolean nothingFree = free.stream().allMatch(epoch -> epoch == Survey.Free.TAKEN);
    Survey found = nothingFree ? Survey.NONE : new Survey.Free(List.copyOf(free));
    turn.add(Kind.END_SURVEY, relay.with(found));
  }

  /** What comes to a relay that has meanwhile begun to stop is on its way out at once. */
  private static Relay holding(Relay relay, int partition, int epoch) {
    Grip grip = relay.mode() == Relay.Mode.STOPPING ? Grip.DRAINING : Grip.OWNED;
    return relay.withHolding(partition, new Holding(grip, epoch));
  }

  private static void take(Turn turn, Survey.Free free) {
    if (turn.expelled() && !turn.is(Protocol.TAKE_WITHOUT_LOCK_ON_INSTANCE_ROW)) {
      turn.addDrop();
      return;
    }
    for (int partition = 0; partition < free.epochs().size(); partition++) {
      if (free.epochs().get(partition) != Survey.Free.TAKEN) {
        takeOne(turn, free, partition);
      }
    }
  }

  private static void takeOne(Turn turn, Survey.Free free, int partition) {
    Fleet fleet = turn.fleet();
    Relay relay = turn.relay().with(free.without(partition));
    PartitionRow row = turn.database().partition(partition);
    boolean unchanged =
        row.epoch() == free.epochs().get(partition)
            || turn.is(Protocol.TAKE_WITHOUT_COMPARING_EPOCH);
    if (!unchanged) {
      turn.add(Kind.TAKE, partition, relay);
      return;
    }
    int epoch = row.epoch() + (turn.is(Protocol.TAKE_WITHOUT_RAISING_EPOCH) ? 0 : 1);
    PartitionRow taken = new PartitionRow(fleet.ownerFor(turn.number()), epoch);
    Fleet after =
        fleet
            .with(turn.database().withPartition(partition, taken))
            .with(fleet.observed().newEpoch(partition));
    turn.add(
        Kind.TAKE, partition, after.with(turn.number(), holding(relay, partition, taken.epoch())));
    if (fleet.budget().lostAnswers() > 0) {
      turn.add(
          Kind.TAKE_UNANSWERED,
          partition,
          after.with(turn.number(), relay).with(fleet.budget().lessOneAnswer()));
    }
  }
}
