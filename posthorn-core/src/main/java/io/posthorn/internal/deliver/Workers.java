/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import static java.util.Objects.requireNonNull;

import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.internal.lease.LeaseClock;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.spi.Fate;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs deliveries on the executor: each worker takes a few messages of a lane, delivers them one by
 * one, and hands in the fates. A worker ends when its handler has nothing more to do.
 */
public final class Workers {
  /**
   * After this time a worker hands in what it has done, so that fast outcomes do not wait for slow
   * deliveries.
   */
  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Runs runs;
  private final Executor executor;
  private final LeaseClock lease;
  private final Ticker ticker;
  private final Duration timeLimit;
  private final Verdicts verdicts;
  private final Circuits circuits;
  private final Invoker invoker;
  private final InTransaction inTransaction;
  private final FailureLog failures;
  private final Consumer<RelayIdentity> expelled;
  private final Set<Seat> busy = ConcurrentHashMap.newKeySet();
  private volatile boolean interrupting;

  public Workers(Workload workload, DeliverySetting setting) {
    this.runs = new Runs(workload);
    this.ticker = workload.ticker;
    this.timeLimit = workload.options.timeLimit();
    this.executor = setting.executor();
    this.lease = setting.lease();
    this.failures = setting.failures();
    this.expelled = setting.expelled();
    this.invoker =
        new Invoker(
            setting.codec(),
            new Upcasters(setting.extensions().upcasters()),
            new Interceptors(setting.extensions().interceptors(), setting.failures()));
    boolean keepHistory = !workload.options.retention().isZero();
    this.inTransaction =
        new InTransaction(setting.transactions(), setting.store(), invoker, keepHistory);
    this.circuits = new Circuits(setting.relay(), workload, setting.listeners());
    this.verdicts =
        new Verdicts(
            setting.retries(),
            setting.unreadable(),
            setting.clock(),
            circuits,
            setting.listeners(),
            setting.failures(),
            keepHistory);
  }

  /**
   * Starts workers for the lanes that wait, as far as the handlers allow it. Never blocks.
   *
   * @return how many
   */
  public int start() {
    int started = 0;
    for (HandlerQueue handler : lease.valid() ? runs.claimWorkers() : List.<HandlerQueue>of()) {
      try {
        executor.execute(() -> work(handler));
        started++;
      } catch (RuntimeException | Error e) { // full, shut down, or no native thread to be had
        runs.workerNotStarted(handler);
        failures.failed("deliver", e);
      }
    }
    return started;
  }

  private void work(HandlerQueue handler) {
    Seat seat = new Seat(handler, ticker);
    busy.add(seat);
    try {
      Run run = runs.next(handler, null);
      while (run != null) {
        deliver(handler.spec, seat, run);
        if (run.isProbe() && run.gotThrough()) {
          circuits.gotThrough(handler);
        }
        if (seat.givenUp()) {
          runs.workerBack(handler, run);
          start();
          return;
        }
        if (!lease.valid() || interrupting) {
          runs.leave(handler, run);
          return;
        }
        run = runs.next(handler, run);
      }
    } finally {
      busy.remove(seat);
    }
  }

  private <P> void deliver(HandlerSpec<P> spec, Seat seat, Run run) {
    if (spec.batchHandler().isPresent()) {
      deliverBatch(spec, seat, run);
      return;
    }
    long begun = ticker.nanos();
    for (int i = 0; i < run.size() && mayStart(run.task(i)); i++) {
      deliverOne(spec, seat, run, i);
      Lane lane = run.task(i).lane;
      if (run.stopped(lane) || seat.givenUp() || ticker.nanos() - begun > SLICE_NANOS) {
        return;
      }
    }
  }

  private boolean mayStart(Task task) {
    return task.holding.state == Holding.State.HELD
        && !interrupting
        && lease.validFor(task.holding.owner);
  }

  private <P> void deliverOne(HandlerSpec<P> spec, Seat seat, Run run, int index) {
    Task task = run.task(index);
    if (task.message.expired()) {
      run.fate(index, verdicts.expired(task.message));
      return;
    }
    Delivery delivery = task.delivery();
    InTransaction.Ended<P> ended = call(spec, seat, task, delivery);
    Answer<P> answer = ended.answer();
    if (answer == null) {
      run.stop(task.lane);
      expelled.accept(task.holding.owner);
    } else {
      judge(seat, spec, delivery, answer, ended.stored(), run, index);
    }
  }

  private <P> InTransaction.Ended<P> call(
      HandlerSpec<P> spec, Seat seat, Task task, Delivery delivery) {
    seat.enter();
    InTransaction.Ended<P> ended =
        spec.isTransactional()
            ? inTransaction.deliver(spec, task, delivery)
            : new InTransaction.Ended<>(invoker.call(spec, delivery), false);
    Answer<P> answer = ended.answer();
    return seat.leave() && answer != null
        ? new InTransaction.Ended<>(answer.overdue(limitOf(spec)), ended.stored())
        : ended;
  }

  private <P> void judge(
      Seat seat,
      HandlerSpec<P> spec,
      Delivery delivery,
      Answer<P> answer,
      boolean stored,
      Run run,
      int index) {
    Fate fate = interruptedByStop(answer) ? null : verdict(seat, spec, delivery, answer);
    if (fate == null) {
      run.stop(run.task(index).lane); // nothing is known about it, or it counts as not tried
    } else if (stored) {
      run.stored(index);
    } else {
      run.fate(index, fate);
    }
  }

  private boolean interruptedByStop(Answer<?> answer) {
    return interrupting && answer.failure() != null;
  }

  /** A fallback is watched too. */
  private <P> @Nullable Fate verdict(
      Seat seat, HandlerSpec<P> spec, Delivery delivery, Answer<P> answer) {
    seat.enter();
    try {
      return verdicts.of(seat.handler, spec, delivery, answer);
    } finally {
      seat.leave();
    }
  }

  private <P> void deliverBatch(HandlerSpec<P> spec, Seat seat, Run run) {
    List<Integer> indexes = new ArrayList<>();
    List<Delivery> deliveries = new ArrayList<>();
    Map<Integer, Task> byPartition = new HashMap<>();
    for (int i = 0; i < run.size() && mayStart(run.task(i)); i++) {
      byPartition.putIfAbsent(run.task(i).message.partition(), run.task(i));
      if (run.task(i).message.expired()) {
        run.fate(i, verdicts.expired(run.task(i).message));
      } else {
        indexes.add(i);
        deliveries.add(run.task(i).delivery());
      }
    }
    seat.enter();
    List<Answer<P>> answers =
        invoker.call(
            spec.batchHandler().orElseThrow(),
            spec,
            deliveries,
            delivery -> mayStart(requireNonNull(byPartition.get(delivery.message().partition()))));
    boolean overdue = seat.leave();
    for (int n = 0; n < answers.size(); n++) {
      int index = indexes.get(n);
      Answer<P> answer = overdue ? answers.get(n).overdue(limitOf(spec)) : answers.get(n);
      Lane lane = run.task(index).lane;
      if (answer.failure() instanceof Invoker.Withheld) {
        run.stop(lane);
      } else if (!run.stopped(lane)) { // else it comes again, in its turn
        judge(seat, spec, deliveries.get(n), answer, false, run, index);
      }
    }
  }

  private Duration limitOf(HandlerSpec<?> spec) {
    return spec.timeLimit().orElse(timeLimit);
  }

  /**
   * Interrupts handlers that have been at work for longer than their time limit; other workers
   * stand in for them.
   *
   * @return the handlers that were interrupted, each once for every worker; true for those that get
   *     no more workers until one comes back
   */
  List<Hanging> interruptOverdue() {
    List<Hanging> hanging = new ArrayList<>();
    for (Seat seat : busy) {
      seat.interruptIfOver(
          limitOf(seat.handler.spec).toNanos(),
          () -> hanging.add(new Hanging(seat.handler.name(), runs.workerLost(seat.handler))));
    }
    return hanging;
  }

  /** A handler that was interrupted, and whether it gets no more workers. */
  record Hanging(String handler, boolean stuck) {}

  /** Whether no worker is at work. */
  public boolean idle() {
    return busy.isEmpty();
  }

  /** Interrupts deliveries under way; they count as not made. For the end of a stop. */
  public void interrupt() {
    interrupting = true;
    busy.forEach(Seat::interrupt);
  }
}
