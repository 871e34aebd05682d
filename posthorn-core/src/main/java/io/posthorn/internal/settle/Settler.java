/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.settle;

import io.posthorn.internal.lease.LeaseKeeper;
import io.posthorn.internal.memory.PendingSettlement;
import io.posthorn.internal.memory.RelayMemory;
import io.posthorn.internal.run.Listeners;
import io.posthorn.spi.Duty;
import io.posthorn.spi.Duty.StepResult;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Stores outcomes in groups. A group that could not be stored because the database is away is kept
 * and tried again while the relay has its lease; one that the database refuses is halved until the
 * culprit is alone.
 */
public final class Settler implements Duty {
  private static final Logger LOGGER = System.getLogger("io.posthorn.relay");
  private static final Duration IDLE = Duration.ofSeconds(1);
  private static final Duration WITHOUT_LEASE = Duration.ofMillis(50);

  private final RelayStore store;
  private final RelayMemory memory;
  private final LeaseKeeper keeper;
  private final Listeners listeners;
  private final int batch;
  private final Runnable whenSettled;
  private final Deque<List<PendingSettlement>> groups = new ArrayDeque<>(); // settle thread only

  /**
   * @param whenSettled called after each group
   */
  public Settler(
      RelayStore store,
      RelayMemory memory,
      LeaseKeeper keeper,
      Listeners listeners,
      int batch,
      Runnable whenSettled) {
    this.store = store;
    this.memory = memory;
    this.keeper = keeper;
    this.listeners = listeners;
    this.batch = batch;
    this.whenSettled = whenSettled;
  }

  @Override
  public String name() {
    return "settle";
  }

  @Override
  public StepResult runOnce() {
    List<PendingSettlement> group = groups.isEmpty() ? memory.takeOutcomes(batch) : groups.remove();
    if (group.isEmpty()) {
      return new StepResult(0, IDLE);
    }
    groups.addFirst(group); // until it is known what became of it
    // Past its own deadline a relay may have been expelled: it changes nothing until a heartbeat
    // says it was not.
    if (!keeper.leaseValid()) {
      if (keeper.lost(identity(group))) {
        groups.remove();
        return StepResult.again(0);
      }
      return new StepResult(0, WITHOUT_LEASE);
    }
    settle(group);
    return StepResult.again(group.size());
  }

  private static RelayIdentity identity(List<PendingSettlement> outcomes) {
    return outcomes.get(0).owner();
  }

  private void settle(List<PendingSettlement> outcomes) {
    try {
      boolean stored = store.settle(identity(outcomes), settlement(outcomes));
      groups.remove();
      if (stored) {
        settled(outcomes);
      } else {
        keeper.expelled(identity(outcomes));
      }
    } catch (StoreException e) {
      if (!e.isRefused()) {
        throw e;
      }
      groups.remove();
      refused(outcomes, e);
    }
  }

  private void refused(List<PendingSettlement> outcomes, StoreException e) {
    if (outcomes.size() > 1) {
      int half = outcomes.size() / 2;
      groups.addFirst(outcomes.subList(half, outcomes.size()));
      groups.addFirst(outcomes.subList(0, half));
      return;
    }
    LOGGER.log(
        Level.ERROR,
        "["
            + keeper.relay()
            + "] the database refuses the outcome of message "
            + outcomes.get(0).describe()
            + "; it stays where it is and is delivered again after a restart",
        e);
    memory.abandoned(outcomes);
  }

  /** Whoever has waited until the relay is idle finds that listeners were told everything. */
  private void settled(List<PendingSettlement> outcomes) {
    for (PendingSettlement outcome : outcomes) {
      outcome
          .deadLetters()
          .forEach(
              (handler, fate) ->
                  listeners.tell(listener -> listener.dead(outcome.message(), handler, fate)));
    }
    listeners.tell(listener -> listener.settled(outcomes.size()));
    memory.settled(outcomes);
    whenSettled.run();
  }

  private static Settlement settlement(List<PendingSettlement> outcomes) {
    List<Settlement.Ready> ready = new ArrayList<>(outcomes.size());
    List<Settlement.Deferred> deferred = new ArrayList<>();
    for (PendingSettlement outcome : outcomes) {
      if (outcome instanceof PendingSettlement.OfReady ofReady) {
        ready.add(ofReady.settlement());
      } else if (outcome instanceof PendingSettlement.OfDeferred ofDeferred) {
        deferred.add(ofDeferred.settlement());
      } else if (outcome instanceof PendingSettlement.OfSuspect ofSuspect) {
        deferred.add(ofSuspect.settlement());
      }
    }
    return new Settlement(ready, deferred);
  }
}
