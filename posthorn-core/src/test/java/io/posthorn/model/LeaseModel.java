/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.Database.InstanceRow;
import io.posthorn.model.Database.Owner;
import io.posthorn.model.Database.PartitionRow;
import io.posthorn.model.Fleet.Budget;
import io.posthorn.model.Fleet.Observed;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The lease and settle protocol over a table that already holds its messages.
 *
 * @param relays two or three
 * @param partitions one or two
 * @param messages how many each partition has, one or two, all with the same key
 */
record LeaseModel(int relays, int partitions, int messages, Budget budget, Protocol protocol)
    implements Model<Fleet, Action> {

  private static final List<Duty> OF_A_RUNNING_RELAY =
      List.of(
          new LeaseDuty(),
          new OwnershipDuty(),
          new DeliveryDuty(),
          new SettleDuty(),
          new HandOverDuty());

  private static final Duty MISFORTUNE = new Misfortune();

  @Override
  public Fleet initial() {
    int rows = 0;
    for (int partition = 0; partition < partitions; partition++) {
      for (int seq = 0; seq < messages; seq++) {
        rows |= 1 << Lanes.message(partition, seq);
      }
    }
    Database database =
        new Database(
            filled(relays, InstanceRow.NONE),
            filled(partitions, new PartitionRow(Owner.NOBODY, 0)),
            rows);
    return new Fleet(database, filled(relays, Relay.outside(partitions)), Observed.NOTHING, budget);
  }

  private static <T> List<T> filled(int size, T value) {
    return List.copyOf(Collections.nCopies(size, value));
  }

  @Override
  public Fingerprint fingerprintOf(Fleet fleet) {
    return FleetFingerprint.of(fleet);
  }

  @Override
  public List<Step<Fleet, Action>> stepsFrom(Fleet fleet) {
    List<Step<Fleet, Action>> steps = new ArrayList<>();
    for (int relay = 0; relay < relays; relay++) {
      Turn turn = new Turn(fleet, relay, protocol, steps);
      MISFORTUNE.addSteps(turn);
      if (!turn.relay().paused()) {
        OF_A_RUNNING_RELAY.forEach(duty -> duty.addSteps(turn));
      }
    }
    return steps;
  }
}
