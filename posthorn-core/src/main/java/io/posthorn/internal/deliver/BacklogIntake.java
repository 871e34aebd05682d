/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import static java.util.Objects.requireNonNull;

import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.RelayStore.ReadSlice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Brings the rows of backlogs back into the memory. Called by the reader's thread only; each method
 * holds the workload's lock, never during a read.
 */
public final class BacklogIntake {
  private static final int ROWS_A_READ = 1_000;

  private final Workload workload;
  private final DeferredRouting routing;

  BacklogIntake(Workload workload, DeferredRouting routing) {
    this.workload = workload;
    this.routing = routing;
  }

  /**
   * A read of one handler's backlogs that is about to begin.
   *
   * @param backlogs by partition
   */
  public record Plan(String handler, List<ReadSlice> slices, Map<Integer, Backlog> backlogs) {}

  /**
   * Opens backlogs for all handlers with deferred rows in partitions that were just taken: how many
   * lanes there are is not known yet.
   */
  void open(List<Holding> loaded, Map<Integer, Set<String>> handlers) {
    for (Holding holding : loaded) {
      for (HandlerQueue handler : workload.lanes.handlers()) {
        boolean has = handlers.getOrDefault(holding.partition, Set.of()).contains(handler.name());
        if (has || holding.cautious) {
          holding.openBacklog(handler, workload.ticker.nanos());
        }
      }
    }
  }

  /** The names of all handlers. */
  public List<String> handlers() {
    return workload.locked(
        () -> workload.lanes.handlers().stream().map(HandlerQueue::name).toList());
  }

  /** What to read now for one handler; empty if it has no backlog or no room. */
  public Optional<Plan> plan(String name) {
    return workload.locked(
        () -> {
          HandlerQueue handler = requireNonNull(workload.lanes.handler(name));
          spill(handler);
          Plan plan = plan(handler);
          return plan.slices.isEmpty() ? Optional.empty() : Optional.of(plan);
        });
  }

  /** Where too many lanes are blocked to be remembered, they become a backlog. */
  private void spill(HandlerQueue handler) {
    for (Holding holding : workload.readable()) {
      int blocked = handler.blockedLanes.getOrDefault(holding.partition, 0);
      if (blocked > Backlog.MOST_LANES) {
        holding.openBacklog(handler, workload.ticker.nanos()).beginAgain();
        workload.lanes.forgetResting(handler, holding.partition);
      }
    }
  }

  private Plan plan(HandlerQueue handler) {
    List<Backlog> due = due(handler);
    int room = Math.min(ROWS_A_READ, workload.roomOf(handler));
    List<ReadSlice> slices = new ArrayList<>();
    Map<Integer, Backlog> backlogs = new HashMap<>();
    for (Backlog backlog : due) {
      if (slices.size() < room) {
        Holding holding = backlog.holding;
        holding.deferredReadBegins();
        int limit = Math.max(1, room / due.size());
        slices.add(new ReadSlice(holding.partition, backlog.readBegins(), limit));
        backlogs.put(holding.partition, backlog);
      }
    }
    return new Plan(handler.name(), slices, backlogs);
  }

  private List<Backlog> due(HandlerQueue handler) {
    long now = workload.ticker.nanos();
    List<Backlog> due = new ArrayList<>();
    for (Holding holding : workload.readable()) {
      Backlog backlog = holding.backlog(handler.name());
      if (backlog != null && backlog.notBefore() - now <= 0) {
        due.add(backlog);
      }
    }
    return due;
  }

  /**
   * Takes the rows of a read.
   *
   * @return how many were taken, and one more if another read is wanted at once
   */
  public int accept(Plan plan, List<DeferredMessage> rows) {
    Map<Integer, List<DeferredMessage>> byPartition = new HashMap<>();
    for (DeferredMessage row : rows) {
      byPartition.computeIfAbsent(row.message().partition(), any -> new ArrayList<>()).add(row);
    }
    return workload.locked(
        () -> {
          int taken = 0;
          for (ReadSlice slice : plan.slices) {
            Backlog backlog = requireNonNull(plan.backlogs.get(slice.partition()));
            if (backlog.holding.state == Holding.State.HELD) {
              taken +=
                  accept(backlog, slice, byPartition.getOrDefault(slice.partition(), List.of()));
            }
          }
          return taken;
        });
  }

  private int accept(Backlog backlog, ReadSlice slice, List<DeferredMessage> rows) {
    int taken = 0;
    for (DeferredMessage row : rows) {
      taken += accept(backlog, row);
    }
    if (rows.size() >= slice.limit()) {
      backlog.readTo(rows.get(rows.size() - 1).message().seq(), rows.size());
      return taken + 1;
    }
    if (backlog.passEnds(workload.ticker.nanos(), workload.options.pollInterval().toNanos())) {
      close(backlog);
    }
    return taken;
  }

  private int accept(Backlog backlog, DeferredMessage row) {
    String key = requireNonNull(row.message().envelope().key(), "rows of lanes have a key");
    LaneId id = new LaneId(row.message().partition(), row.handler(), key);
    Lane lane = workload.lanes.find(id);
    if (lane != null && lane.blocked) {
      return 0; // it comes by its own check
    }
    if (backlog.passedOver(id)) {
      return 0;
    }
    if (!row.dueIn().isNegative() && !row.dueIn().isZero()) {
      backlog.notDue(id, row.dueIn());
      return 0;
    }
    if (backlog.mayOvertake(id, row.message().seq())) {
      return 0; // the next pass finds them in order
    }
    Fate instead = routing.insteadOfDelivery(backlog.handler.spec, row);
    if (instead == DeferredRouting.LEAVE) {
      rememberBlocked(backlog.handler, id, UnknownTypes.RECHECK);
      return 0;
    }
    if (!backlog.holding.enterDeferred(row.message().seq(), row.handler())) {
      return 0; // in memory, or just settled
    }
    workload.take(backlog.holding, workload.lanes.lane(backlog.handler, id), row, instead);
    backlog.took();
    return 1;
  }

  private void rememberBlocked(HandlerQueue handler, LaneId id, Duration dueIn) {
    Lane lane = workload.lanes.lane(handler, id);
    workload.lanes.blocked(lane, true);
    lane.notBefore = workload.ticker.nanos() + Workload.untilCheck(dueIn);
    workload.lanes.settleDown(lane);
  }

  /** What is left are a few lanes that are not due: they are remembered. */
  private void close(Backlog backlog) {
    backlog.holding.closeBacklog(backlog.handler);
    backlog.lanesNotDue().forEach((id, dueIn) -> rememberBlocked(backlog.handler, id, dueIn));
  }

  /** Whether new messages of a partition should wait: a first look at its backlogs is under way. */
  boolean surveys(Holding holding) {
    return workload.lanes.handlers().stream()
        .filter(handler -> workload.roomOf(handler) > 0) // else nobody looks
        .map(handler -> holding.backlog(handler.name()))
        .anyMatch(backlog -> backlog != null && !backlog.surveyed());
  }

  /** How long until a backlog is to be read. */
  long nanosUntilNext(long now, long otherwise) {
    long next = otherwise;
    for (HandlerQueue handler : workload.lanes.handlers()) {
      if (workload.roomOf(handler) > 0) {
        for (Holding holding : workload.readable()) {
          Backlog backlog = holding.backlog(handler.name());
          if (backlog != null) {
            next = Math.min(next, Math.max(0, backlog.notBefore() - now));
          }
        }
      }
    }
    return next;
  }
}
