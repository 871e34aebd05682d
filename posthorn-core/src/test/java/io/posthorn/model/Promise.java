/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.Action.Kind;
import io.posthorn.model.Database.InstanceRow;
import io.posthorn.model.Database.Owner;
import io.posthorn.model.Database.PartitionRow;
import io.posthorn.model.Flights.Phase;
import io.posthorn.model.Relay.Holding;
import java.util.EnumSet;
import java.util.Set;

/** What the protocol promises about every single step, whatever happened before it. */
enum Promise implements Invariant<Fleet, Action> {
  EXPELLED_RELAY_CHANGES_NO_ROW {
    @Override
    public boolean holds(Fleet before, Action action, Fleet after) {
      boolean expelled = before.database().instance(action.relay()) == InstanceRow.NONE;
      return !expelled
          || (before.database().messages() == after.database().messages()
              && before.database().partitions().equals(after.database().partitions()));
    }
  },

  /** So no two live relays own the same partition, and nobody works in an epoch that is over. */
  LIVE_RELAY_OWNS_WHAT_IT_BELIEVES_TO_OWN {
    @Override
    public boolean holds(Fleet before, Action action, Fleet after) {
      for (int relay = 0; relay < after.relays().size(); relay++) {
        if (after.isLive(after.ownerFor(relay)) && !beliefsAreTrue(after, relay)) {
          return false;
        }
      }
      return true;
    }
  },

  /** It grows by one when an owner comes, and never else. */
  EPOCH_COUNTS_OWNERS {
    @Override
    public boolean holds(Fleet before, Action action, Fleet after) {
      for (int partition = 0; partition < after.database().partitions().size(); partition++) {
        PartitionRow was = before.database().partition(partition);
        PartitionRow is = after.database().partition(partition);
        boolean taken = !is.owner().equals(Owner.NOBODY) && !is.owner().equals(was.owner());
        if (is.epoch() != was.epoch() + (taken ? 1 : 0)) {
          return false;
        }
      }
      return true;
    }
  },

  /** A row disappears only because its delivery has ended. */
  NOTHING_IS_LOST {
    @Override
    public boolean holds(Fleet before, Action action, Fleet after) {
      return (settledBy(before, after) & ~before.observed().ended()) == 0;
    }
  },

  ONLY_THE_OWNER_SETTLES {
    @Override
    public boolean holds(Fleet before, Action action, Fleet after) {
      for (int rest = settledBy(before, after); rest != 0; rest &= rest - 1) {
        int partition = Lanes.partitionOf(Integer.numberOfTrailingZeros(rest));
        PartitionRow row = before.database().partition(partition);
        if (!row.owner().equals(before.ownerFor(action.relay()))) {
          return false;
        }
      }
      return true;
    }
  },

  /** What comes before it in its lane has been delivered to the end, by whomever. */
  LANE_STARTS_IN_ORDER {
    @Override
    public boolean holds(Fleet before, Action action, Fleet after) {
      return !STARTS.contains(action.kind())
          || (Lanes.before(action.subject()) & ~before.observed().ended()) == 0;
    }
  },

  /** Whatever happens, the holder of one epoch starts each message once and never goes back. */
  EPOCH_STARTS_EACH_MESSAGE_ONCE_IN_ORDER {
    @Override
    public boolean holds(Fleet before, Action action, Fleet after) {
      return action.kind() != Kind.START
          || !isCurrent(before, action)
          || (before.observed().startedInEpoch() & Lanes.from(action.subject())) == 0;
    }
  },

  /** Two deliveries of a lane never overlap in one relay, also not across an expulsion. */
  RELAY_DELIVERS_ONE_AT_A_TIME_PER_LANE {
    @Override
    public boolean holds(Fleet before, Action action, Fleet after) {
      Work work = before.relay(action.relay()).work();
      int running = work.inFlight().in(Phase.RUNNING) | work.leftovers().in(Phase.RUNNING);
      return !STARTS.contains(action.kind())
          || (running & Lanes.allOf(Lanes.partitionOf(action.subject()))) == 0;
    }
  },

  /** The only fault that counts is a lost lease: a pause or a lost answer repeats nothing. */
  NO_DUPLICATE_WITHOUT_EXPULSION {
    @Override
    public boolean holds(Fleet before, Action action, Fleet after) {
      return !STARTS.contains(action.kind())
          || before.observed().expulsion()
          || (before.observed().started() & (1 << action.subject())) == 0;
    }
  },

  NO_CHECK_IS_PASSED_PAST_THE_LEASE {
    @Override
    public boolean holds(Fleet before, Action action, Fleet after) {
      boolean inTime =
          before.database().instance(action.relay()) == InstanceRow.FRESH
              && !before.relay(action.relay()).lease().deadlinePassed();
      return action.kind() != Kind.LATE_CHECK && (action.kind() != Kind.PASS_CHECK || inTime);
    }
  };

  private static final Set<Kind> STARTS = EnumSet.of(Kind.START, Kind.LATE_START);

  private static boolean beliefsAreTrue(Fleet fleet, int relay) {
    for (int partition = 0; partition < fleet.database().partitions().size(); partition++) {
      Holding holding = fleet.relay(relay).holding(partition);
      PartitionRow row = fleet.database().partition(partition);
      PartitionRow believed = new PartitionRow(fleet.ownerFor(relay), holding.epoch());
      if (holding.believedOwned() && !row.equals(believed)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isCurrent(Fleet fleet, Action start) {
    int partition = Lanes.partitionOf(start.subject());
    int epoch = fleet.relay(start.relay()).holding(partition).epoch();
    return epoch == fleet.database().partition(partition).epoch();
  }

  private static int settledBy(Fleet before, Fleet after) {
    return before.database().messages() & ~after.database().messages();
  }
}
