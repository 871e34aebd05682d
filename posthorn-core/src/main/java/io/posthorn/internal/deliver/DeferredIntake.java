/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import static java.util.Objects.requireNonNull;

import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.Fate;
import io.posthorn.spi.LaneId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Brings deferred rows back into the memory: those of blocked lanes when their head is due, and
 * those that have no lane by their time. Called by the reader's thread only; each method holds the
 * workload's lock, never during a read.
 */
public final class DeferredIntake {
  private final Workload workload;
  private final Handlers handlers;
  private final UnknownTypes unknown;
  private final DeferredRouting routing;

  DeferredIntake(
      Workload workload, Handlers handlers, UnknownTypes unknown, DeferredRouting routing) {
    this.workload = workload;
    this.handlers = handlers;
    this.unknown = unknown;
    this.routing = routing;
  }

  // --- deferred rows of lanes

  /**
   * Blocked lanes whose deferred rows are to be looked at now, with the holdings they belong to.
   */
  public Map<LaneId, Holding> lanesToCheck(int most) {
    return workload.locked(
        () -> {
          Map<LaneId, Holding> wanted = new LinkedHashMap<>();
          long now = workload.ticker.nanos();
          for (HandlerQueue handler : workload.lanes.handlers()) {
            while (wanted.size() < most
                && workload.roomOf(handler) > 0
                && due(handler.checks.peek(), now)) {
              Lane lane = handler.checks.remove();
              lane.arrivals.lookBegins();
              LaneId id = lane.id;
              Holding holding = workload.holdings.get(id.partition());
              if (holding != null) {
                wanted.put(id, holding);
              }
            }
          }
          return wanted;
        });
  }

  /** The look at these lanes failed: it is to be taken again. */
  public void checkAgain(Map<LaneId, Holding> checked) {
    workload.inLock(
        () ->
            checked.forEach(
                (id, holding) -> {
                  HandlerQueue handler = workload.lanes.handler(id.handler());
                  if (handler != null && workload.holdings.get(id.partition()) == holding) {
                    Lane lane = workload.lanes.lane(handler, id);
                    lane.checkPlanned = false;
                    workload.lanes.settleDown(lane);
                  }
                }));
  }

  private static boolean due(@Nullable Lane lane, long now) {
    return lane != null && lane.notBefore - now <= 0;
  }

  /**
   * Takes the deferred rows of lanes. A lane without any is no longer blocked.
   *
   * @return how many rows were taken
   */
  public int acceptLanes(Map<LaneId, Holding> checked, List<DeferredMessage> rows) {
    Map<LaneId, List<DeferredMessage>> byLane = new HashMap<>();
    for (DeferredMessage row : rows) {
      String key = requireNonNull(row.message().envelope().key(), "rows of lanes have a key");
      LaneId id = new LaneId(row.message().partition(), row.handler(), key);
      byLane.computeIfAbsent(id, any -> new ArrayList<>()).add(row);
    }
    return workload.locked(
        () -> {
          int taken = 0;
          for (Map.Entry<LaneId, Holding> lane : checked.entrySet()) {
            taken +=
                acceptLane(
                    lane.getKey(), lane.getValue(), byLane.getOrDefault(lane.getKey(), List.of()));
          }
          return taken;
        });
  }

  private int acceptLane(LaneId id, Holding holding, List<DeferredMessage> rows) {
    HandlerQueue handler = workload.lanes.handler(id.handler());
    if (handler == null || holding.state != Holding.State.HELD) {
      return 0;
    }
    Lane lane = workload.lanes.lane(handler, id);
    lane.checkPlanned = false;
    int taken = 0;
    for (DeferredMessage row : rows) {
      if (!row.dueIn().isNegative() && !row.dueIn().isZero()) {
        lane.notBefore = workload.ticker.nanos() + Workload.untilCheck(row.dueIn());
        break;
      }
      Fate instead = routing.insteadOfDelivery(handler.spec, row);
      if (instead == DeferredRouting.LEAVE) {
        lane.notBefore = workload.ticker.nanos() + UnknownTypes.RECHECK.toNanos();
        break;
      }
      holding.reenterDeferred(row.message().seq(), row.handler());
      workload.take(holding, lane, row, instead);
      taken++;
    }
    // Rows that are still on their way to the table come in by the check that follows their
    // settling; those that arrived while the lane was read may be missing here, so it is read
    // again.
    workload.lanes.blocked(lane, !rows.isEmpty() || lane.arrivals.mayHaveMissed());
    workload.lanes.settleDown(lane);
    return taken;
  }

  /** Lanes have a row that is due: a person may have put it there. */
  public int lookAt(Map<Integer, Holding> planned, List<LaneId> due) {
    return workload.locked(
        () -> {
          int found = 0;
          for (LaneId id : due) {
            HandlerQueue handler = workload.lanes.handler(id.handler());
            Holding holding = planned.get(id.partition());
            if (handler != null
                && holding != null
                && holding.state == Holding.State.HELD
                && holding.backlog(id.handler()) == null) {
              found += lookAt(workload.lanes.lane(handler, id));
            }
          }
          return found;
        });
  }

  private int lookAt(Lane lane) {
    if (lane.deferredInMemory > 0 || lane.arrivals.moving() || (lane.blocked && due(lane, now()))) {
      return 0; // it will be looked at
    }
    workload.lanes.block(lane);
    workload.lanes.checkNow(lane, now());
    return 1;
  }

  /**
   * A person has blocked lanes: what comes of them waits from now on.
   *
   * @return how many of them were not known to be blocked
   */
  public int blockedByHand(Map<Integer, Holding> planned, List<LaneId> blocked) {
    return workload.locked(
        () -> {
          int found = 0;
          for (LaneId id : blocked) {
            HandlerQueue handler = workload.lanes.handler(id.handler());
            Holding holding = planned.get(id.partition());
            if (handler != null
                && holding != null
                && holding.state == Holding.State.HELD
                && holding.backlog(id.handler()) == null) {
              Lane lane = workload.lanes.lane(handler, id);
              found += lane.blocked ? 0 : lookAt(lane);
            }
          }
          return found;
        });
  }

  private long now() {
    return workload.ticker.nanos();
  }

  // --- deferred rows without a lane

  /**
   * Handlers that can take rows without a key, and the sign for rows that are not meant for one
   * handler.
   */
  public List<String> handlersWithRoom() {
    return workload.locked(
        () -> {
          List<String> names = new ArrayList<>();
          workload.lanes.handlers().stream()
              .filter(handler -> workload.roomOf(handler) > 0)
              .forEach(handler -> names.add(handler.name()));
          if (!workload.paused) {
            names.add(DeferredMessage.UNDECIDED);
          }
          return names;
        });
  }

  /**
   * Partitions to ask for due rows, and how many rows at the most; what is in memory may be among
   * them.
   */
  public Map<Integer, Holding> duePlan() {
    return workload.locked(
        () -> {
          Map<Integer, Holding> planned = new HashMap<>();
          for (Holding holding : workload.readable()) {
            holding.deferredReadBegins();
            planned.put(holding.partition, holding);
          }
          return planned;
        });
  }

  /** How many due rows to ask for, so that there are new ones among them. */
  public int dueLimit(Collection<Holding> planned, int wanted) {
    return workload.locked(
        () ->
            Math.min(wanted, workload.window.free())
                + planned.stream().mapToInt(Holding::deferredInFlightCount).sum());
  }

  /** Takes due rows; returns how many of them were new. */
  public int acceptDue(Map<Integer, Holding> planned, List<DeferredMessage> rows) {
    return workload.locked(
        () -> {
          int taken = 0;
          for (DeferredMessage row : rows) {
            Holding holding = planned.get(row.message().partition());
            if (holding != null
                && holding.state == Holding.State.HELD
                && holding.enterDeferred(row.message().seq(), row.handler())) {
              acceptDueRow(holding, row);
              taken++;
            }
          }
          return taken;
        });
  }

  private void acceptDueRow(Holding holding, DeferredMessage row) {
    HandlerQueue handler = workload.lanes.handler(row.handler());
    if (handler != null) {
      Fate instead = routing.insteadOfDelivery(handler.spec, row);
      workload.take(
          holding,
          workload.lanes.lane(handler, row.message()),
          row,
          instead == DeferredRouting.LEAVE ? again(row) : instead);
      return;
    }
    holding.items++;
    workload.window.add(row.message());
    workload.addOutcome(
        new Outcome.OfDeferred(holding, row.message(), row.handler(), null, undecidedFate(row)));
  }

  /** The same as it is now, but for the time. */
  private static Fate again(DeferredMessage row) {
    return new Fate.Deferred(
        row.reason(), row.attempts(), UnknownTypes.RECHECK, row.lastError(), true);
  }

  /** Who may be taken by somebody is read afresh; who by nobody waits as the policy says. */
  private Fate undecidedFate(DeferredMessage row) {
    if (row.reason() == DeferReason.DELAYED) {
      return new Fate.Ready();
    }
    Envelope envelope = row.message().envelope();
    Envelope today = handlers.aliases().today(envelope);
    boolean known =
        handlers.take(envelope) || !workload.fleet.elsewhere(envelope.type(), today.type()).none();
    return known ? new Fate.Ready() : unknown.fate(today, row.attempts(), row.waited());
  }

  // --- when to come again

  /** Whether a due time that was noted has come; forgets it. */
  public boolean dueNow() {
    return workload.locked(() -> workload.dueTimes.pollDue(workload.ticker.nanos()));
  }

  /** How long until something noted in memory falls due. */
  long nanosUntilNext(long now, long otherwise) {
    long next = workload.dueTimes.nanosUntilNext(now, otherwise);
    for (HandlerQueue handler : workload.lanes.handlers()) {
      Lane lane = handler.checks.peek();
      if (lane != null && workload.roomOf(handler) > 0) {
        next = Math.min(next, Math.max(0, lane.notBefore - now));
      }
      next = handler.nanosUntilDelivery(now, next);
    }
    return next;
  }
}
