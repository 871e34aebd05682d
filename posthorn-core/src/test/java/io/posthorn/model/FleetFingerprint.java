/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.Database.Owner;
import io.posthorn.model.Database.PartitionRow;
import io.posthorn.model.Fingerprint.Packer;
import io.posthorn.model.Relay.Holding.Grip;
import java.util.Arrays;
import java.util.List;

/**
 * Tells fleets apart by what they can still do. Which relay is called A does not matter, and of an
 * epoch or an incarnation only whether it is the current one: both are compared for equality alone
 * and never come back. All else is exact.
 */
final class FleetFingerprint {

  private static final List<int[]> ORDERS_OF_TWO = List.of(new int[] {0, 1}, new int[] {1, 0});
  private static final List<int[]> ORDERS_OF_THREE =
      List.of(
          new int[] {0, 1, 2},
          new int[] {0, 2, 1},
          new int[] {1, 0, 2},
          new int[] {1, 2, 0},
          new int[] {2, 0, 1},
          new int[] {2, 1, 0});

  private final Fleet fleet;

  /** Each relay, with other relays called "other". */
  private final long[] words;

  private FleetFingerprint(Fleet fleet) {
    this.fleet = fleet;
    this.words = new long[fleet.relays().size()];
    Arrays.setAll(words, this::wordOf);
  }

  /** The relays are put in the order of their words, and equal ones so that the rest is least. */
  static Fingerprint of(Fleet fleet) {
    FleetFingerprint packing = new FleetFingerprint(fleet);
    long least = Long.MAX_VALUE;
    for (int[] order : packing.words.length == 2 ? ORDERS_OF_TWO : ORDERS_OF_THREE) {
      if (packing.isSorted(order)) {
        least = Math.min(least, packing.shared(order));
      }
    }
    long[] all = Arrays.copyOf(packing.words, packing.words.length + 1);
    Arrays.sort(all, 0, packing.words.length);
    all[packing.words.length] = least;
    return new Fingerprint(all);
  }

  private boolean isSorted(int[] order) {
    for (int place = 1; place < order.length; place++) {
      if (words[order[place - 1]] > words[order[place]]) {
        return false;
      }
    }
    return true;
  }

  private long wordOf(int number) {
    Relay relay = fleet.relay(number);
    Packer packer = new Packer().put(fleet.database().instance(number), 2);
    packer.put(relay.mode(), 2).put(relay.paused());
    packer.put(relay.lease().deadlinePassed()).put(relay.lease().heartbeat(), 3);
    for (int partition = 0; partition < relay.holdings().size(); partition++) {
      Grip grip = relay.holding(partition).grip();
      packer.put(grip, 2);
      packer.put(grip != Grip.NONE && isCurrent(partition, relay.holding(partition).epoch()));
      packer.put(relation(number, fleet.database().partition(partition).owner()), 2);
    }
    Work work = relay.work();
    int messages = Lanes.room(relay.holdings().size());
    packer.put(work.inFlight().bits(), 3 * messages).put(work.leftovers().bits(), 3 * messages);
    packer.put(work.read(), messages);
    packer.put(work.settle().stage(), 2).put(work.settle().messages(), messages);
    putSurvey(packer, number, relay.survey());
    return packer.word();
  }

  private void putSurvey(Packer packer, int number, Survey survey) {
    if (survey instanceof Survey.SawPartitions seen) {
      packer.put(1, 2);
      for (int partition = 0; partition < seen.partitions().size(); partition++) {
        PartitionRow row = seen.partitions().get(partition);
        packer.put(relation(number, row.owner()), 2).put(isCurrent(partition, row.epoch()));
      }
    } else if (survey instanceof Survey.SawInstances) {
      packer.put(2, 2);
    } else if (survey instanceof Survey.Free free) {
      packer.put(3, 2);
      for (int partition = 0; partition < free.epochs().size(); partition++) {
        int epoch = free.epochs().get(partition);
        packer.put(epoch == Survey.Free.TAKEN).put(isCurrent(partition, epoch));
      }
    }
  }

  /** Nobody, an incarnation that is over, the relay itself, or another. */
  private int relation(int relay, Owner owner) {
    if (owner.equals(Owner.NOBODY)) {
      return 0;
    }
    if (!isLast(owner.relay(), owner.incarnation())) {
      return 1;
    }
    return owner.relay() == relay ? 2 : 3;
  }

  /** What belongs to no relay, and which one each "other" is. */
  private long shared(int[] order) {
    Packer packer = new Packer();
    putPlaces(packer, order, fleet.database().partitions());
    for (int relay : order) {
      if (fleet.relay(relay).survey() instanceof Survey.SawPartitions seen) {
        putPlaces(packer, order, seen.partitions());
      } else if (fleet.relay(relay).survey() instanceof Survey.SawInstances seen) {
        for (int other : order) {
          packer.put(seen.live().get(other)).put(isLast(other, seen.incarnations().get(other)));
        }
      }
    }
    int messages = Lanes.room(fleet.database().partitions().size());
    Fleet.Observed observed = fleet.observed();
    packer.put(fleet.database().messages(), messages).put(observed.started(), messages);
    packer.put(observed.ended(), messages).put(observed.startedInEpoch(), messages);
    packer.put(observed.expulsion()).put(fleet.budget().pauses(), 2);
    return packer.put(fleet.budget().handOvers(), 2).put(fleet.budget().lostAnswers(), 2).word();
  }

  private void putPlaces(Packer packer, int[] order, List<PartitionRow> rows) {
    for (PartitionRow row : rows) {
      int place = 0;
      for (int i = 0; i < order.length; i++) {
        place = row.owner().equals(fleet.ownerFor(order[i])) ? i + 1 : place;
      }
      packer.put(place, 2);
    }
  }

  private boolean isLast(int relay, int incarnation) {
    return fleet.relay(relay).incarnation() == incarnation;
  }

  private boolean isCurrent(int partition, int epoch) {
    return fleet.database().partition(partition).epoch() == epoch;
  }
}
