/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.Database.InstanceRow;
import io.posthorn.model.Database.Owner;
import java.util.List;

/** One state of the whole model: the tables, the relays, and what an observer has written down. */
record Fleet(Database database, List<Relay> relays, Observed observed, Budget budget) {

  /**
   * What an observer needs to know about the past. Sets of messages are masks.
   *
   * @param startedInEpoch started by the holder of the current epoch of their partition
   * @param expulsion whether any relay has ever been expelled
   */
  record Observed(int started, int ended, int startedInEpoch, boolean expulsion) {

    static final Observed NOTHING = new Observed(0, 0, 0, false);

    Observed start(int message, boolean inCurrentEpoch) {
      int bit = 1 << message;
      return new Observed(
          started | bit, ended, startedInEpoch | (inCurrentEpoch ? bit : 0), expulsion);
    }

    Observed end(int message) {
      return new Observed(started, ended | (1 << message), startedInEpoch, expulsion);
    }

    Observed newEpoch(int partition) {
      return new Observed(started, ended, startedInEpoch & ~Lanes.allOf(partition), expulsion);
    }

    Observed withExpulsion() {
      return new Observed(started, ended, startedInEpoch, true);
    }
  }

  /** How many things may still happen that only the outside decides; it bounds the model. */
  record Budget(int pauses, int handOvers, int lostAnswers) {

    static final Budget NOTHING = new Budget(0, 0, 0);

    Budget withPauses(int number) {
      return new Budget(number, handOvers, lostAnswers);
    }

    Budget withHandOvers(int number) {
      return new Budget(pauses, number, lostAnswers);
    }

    Budget withLostAnswers(int number) {
      return new Budget(pauses, handOvers, number);
    }

    Budget lessOnePause() {
      return withPauses(pauses - 1);
    }

    Budget lessOneHandOver() {
      return withHandOvers(handOvers - 1);
    }

    Budget lessOneAnswer() {
      return withLostAnswers(lostAnswers - 1);
    }
  }

  Relay relay(int number) {
    return relays.get(number);
  }

  Owner ownerFor(int relay) {
    return new Owner(relay, relay(relay).incarnation());
  }

  /** Whether the instance row of this very incarnation exists. */
  boolean isLive(Owner owner) {
    return !owner.equals(Owner.NOBODY)
        && database.instance(owner.relay()) != InstanceRow.NONE
        && relay(owner.relay()).incarnation() == owner.incarnation();
  }

  Fleet with(Database other) {
    return new Fleet(other, relays, observed, budget);
  }

  Fleet with(int number, Relay relay) {
    return new Fleet(database, Database.replaced(relays, number, relay), observed, budget);
  }

  Fleet with(Observed other) {
    return new Fleet(database, relays, other, budget);
  }

  Fleet with(Budget other) {
    return new Fleet(database, relays, observed, other);
  }
}
