/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.settle;

import io.posthorn.internal.lease.LeaseKeeper;
import io.posthorn.internal.memory.PendingSettlement;
import io.posthorn.internal.memory.RelayMemory;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.internal.run.Listeners;
import io.posthorn.spi.Duty;
import io.posthorn.spi.Duty.StepResult;
import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Stores outcomes in groups. What happens to a group that could not be stored depends on what the
 * failure says: the database is unavailable, so the group is kept and tried again while the relay
 * has its lease; it refuses the content, so the group is halved until the culprit is alone, which
 * is given up; anything else, so the group is {@linkplain SetAside set aside} and tried again in
 * parts, while others go on.
 */
public final class Settler implements Duty {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.relay");
  private static final Duration IDLE = Duration.ofSeconds(1);
  private static final Duration WITHOUT_LEASE = Duration.ofMillis(50);
  private static final String SETTLING_AGAIN = "settle again";

  private final RelayStore store;
  private final RelayMemory memory;
  private final LeaseKeeper keeper;
  private final Listeners listeners;
  private final Setting setting;
  private final Deque<List<PendingSettlement>> groups = new ArrayDeque<>(); // settle thread only
  private final SetAside aside; // settle thread only
  private boolean again; // settle thread only; whether the last group had been set aside

  /**
   * What the settler goes by.
   *
   * @param batch how many outcomes a group has at the most
   * @param whenSettled called after each group
   */
  public record Setting(int batch, Ticker ticker, FailureLog failures, Runnable whenSettled) {}

  public Settler(
      RelayStore store,
      RelayMemory memory,
      LeaseKeeper keeper,
      Listeners listeners,
      Setting setting) {
    this.store = store;
    this.memory = memory;
    this.keeper = keeper;
    this.listeners = listeners;
    this.setting = setting;
    this.aside = new SetAside(setting.ticker());
  }

  @Override
  public String name() {
    return "settle";
  }

  @Override
  public StepResult runOnce() {
    List<PendingSettlement> group = next();
    if (group.isEmpty()) {
      return new StepResult(0, aside.nextIn(IDLE));
    }
    groups.addFirst(group); // until it is known what became of it
    if (keeper.lost(identity(group))) {
      groups.remove();
      aside.ended(group);
      return StepResult.again(0);
    }
    // Past its own deadline a relay may have been expelled: it changes nothing until a heartbeat
    // says it was not.
    if (!keeper.leaseValid()) {
      return new StepResult(0, WITHOUT_LEASE);
    }
    settle(group);
    return StepResult.again(group.size());
  }

  private List<PendingSettlement> next() {
    List<PendingSettlement> taken = take();
    List<PendingSettlement> group = aside.holdBack(taken);
    while (group.isEmpty() && !taken.isEmpty()) {
      taken = take();
      group = aside.holdBack(taken);
    }
    return group;
  }

  private List<PendingSettlement> take() {
    if (!groups.isEmpty()) {
      return groups.remove();
    }
    List<PendingSettlement> group = aside.take(setting.batch());
    again = !group.isEmpty();
    return again ? group : memory.takeOutcomes(setting.batch());
  }

  private static RelayIdentity identity(List<PendingSettlement> outcomes) {
    return outcomes.get(0).owner();
  }

  private void settle(List<PendingSettlement> outcomes) {
    long begun = setting.ticker().nanos();
    boolean stored;
    try {
      stored = store.settle(identity(outcomes), PendingSettlement.together(outcomes));
    } catch (RuntimeException e) {
      notStored(outcomes, Duration.ofNanos(setting.ticker().nanos() - begun), e);
      return;
    }
    groups.remove();
    aside.ended(outcomes);
    if (stored) {
      settled(outcomes);
    } else {
      keeper.expelled(identity(outcomes));
    }
    if (again) {
      aside.worked(outcomes.size());
    }
    if (aside.isEmpty()) {
      setting.failures().succeeded(SETTLING_AGAIN);
    }
  }

  private void notStored(List<PendingSettlement> outcomes, Duration took, RuntimeException e) {
    StoreException.Kind kind = StoreException.kindOf(e);
    if (kind == StoreException.Kind.UNAVAILABLE) {
      throw e;
    }
    groups.remove();
    if (kind == StoreException.Kind.CONTENT) {
      refused(outcomes, e);
    } else {
      setAside(outcomes, took, e);
    }
  }

  private void refused(List<PendingSettlement> outcomes, RuntimeException e) {
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
            + "; it stays where it is and is delivered again later, after a restart at the latest",
        e);
    aside.ended(outcomes);
    memory.abandoned(outcomes);
  }

  private void setAside(List<PendingSettlement> outcomes, Duration took, RuntimeException e) {
    aside.add(outcomes, took);
    String first = outcomes.get(0).describe();
    String what =
        outcomes.size() == 1
            ? "the outcome of message %s was not stored, it is tried again every second"
                .formatted(first)
            : "%d outcomes from that of message %s on were not stored, they are tried again in parts"
                .formatted(outcomes.size(), first);
    setting
        .failures()
        .failed(SETTLING_AGAIN, new StoreException(StoreException.Kind.UNKNOWN, what, e));
  }

  /** Whoever has waited until the relay is idle finds that listeners were told everything. */
  private void settled(List<PendingSettlement> outcomes) {
    try {
      for (PendingSettlement outcome : outcomes) {
        outcome
            .deadLetters()
            .forEach(
                (handler, fate) ->
                    listeners.tell(listener -> listener.dead(outcome.message(), handler, fate)));
      }
      listeners.tell(listener -> listener.settled(outcomes.size()));
    } finally {
      memory.settled(outcomes);
      setting.whenSettled().run();
    }
  }
}
