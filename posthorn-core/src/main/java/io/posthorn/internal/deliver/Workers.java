/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.Delivery;
import io.posthorn.Handler;
import io.posthorn.HandlerSpec;
import io.posthorn.internal.lease.LeaseClock;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.internal.run.Listeners;
import io.posthorn.spi.Fate;
import io.posthorn.spi.PayloadCodec;
import io.posthorn.spi.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
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
  private final Verdicts verdicts;
  private final Invoker invoker;
  private final FailureLog failures;
  private final Set<Thread> busy = ConcurrentHashMap.newKeySet();
  private volatile boolean interrupting;

  /** What workers need beside the workload. */
  public record Setting(
      String relay,
      Executor executor,
      LeaseClock lease,
      RetryPolicies retries,
      @Nullable PayloadCodec codec,
      Extensions extensions,
      Unreadable unreadable,
      Listeners listeners,
      FailureLog failures) {}

  public Workers(Workload workload, Setting setting) {
    this.runs = new Runs(workload);
    this.ticker = workload.ticker;
    this.executor = setting.executor();
    this.lease = setting.lease();
    this.invoker =
        new Invoker(
            setting.codec(),
            new Upcasters(setting.extensions().upcasters()),
            new Interceptors(setting.extensions().interceptors(), setting.failures()));
    this.verdicts =
        new Verdicts(
            setting.retries(),
            setting.unreadable(),
            setting.listeners(),
            new DeadLetterLog(setting.relay(), workload.ticker));
    this.failures = setting.failures();
  }

  /** Starts workers for the lanes that wait, as far as the handlers allow it. Never blocks. */
  public void start() {
    if (!lease.valid()) {
      return;
    }
    for (HandlerQueue handler : runs.claimWorkers()) {
      try {
        executor.execute(() -> work(handler));
      } catch (RuntimeException | Error e) { // full, shut down, or no native thread to be had
        runs.workerNotStarted(handler);
        failures.failed("deliver", e);
      }
    }
  }

  private void work(HandlerQueue handler) {
    busy.add(Thread.currentThread());
    try {
      Run run = runs.next(handler, null);
      while (run != null) {
        deliver(handler.spec, run);
        if (!lease.valid() || interrupting) {
          runs.leave(handler, run);
          return;
        }
        run = runs.next(handler, run);
      }
    } finally {
      busy.remove(Thread.currentThread());
    }
  }

  private <P> void deliver(HandlerSpec<P> spec, Run run) {
    if (spec.batchHandler().isPresent()) {
      deliverBatch(spec, run);
    } else {
      Handler<P> handler = spec.handler().orElseThrow();
      long begun = ticker.nanos();
      for (int i = 0; i < run.size() && mayStart(run.task(i)); i++) {
        Fate fate = deliverOne(handler, spec, run.task(i));
        if (fate == null) {
          return;
        }
        run.fate(i, fate);
        if (fate instanceof Fate.Deferred || ticker.nanos() - begun > SLICE_NANOS) {
          return;
        }
      }
    }
  }

  private boolean mayStart(Task task) {
    return task.holding.state == Holding.State.HELD
        && !interrupting
        && lease.validFor(task.holding.owner);
  }

  /**
   * Null if the delivery was interrupted by the relay's stop, so that nothing is known about it.
   */
  private <P> @Nullable Fate deliverOne(Handler<P> handler, HandlerSpec<P> spec, Task task) {
    if (task.message.expired()) {
      return verdicts.expired(task.message);
    }
    Delivery delivery = task.delivery();
    try {
      invoker.call(handler, spec, delivery);
      return verdicts.delivered(delivery);
    } catch (Throwable e) { // a worker must outlive whatever a handler throws
      return interrupting ? null : verdicts.failed(spec, delivery, e);
    }
  }

  private <P> void deliverBatch(HandlerSpec<P> spec, Run run) {
    List<Integer> indexes = new ArrayList<>();
    List<Delivery> deliveries = new ArrayList<>();
    for (int i = 0; i < run.size() && mayStart(run.task(i)); i++) {
      if (run.task(i).message.expired()) {
        run.fate(i, verdicts.expired(run.task(i).message));
      } else {
        indexes.add(i);
        deliveries.add(run.task(i).delivery());
      }
    }
    List<@Nullable Throwable> results =
        invoker.call(spec.batchHandler().orElseThrow(), spec, deliveries);
    for (int n = 0; n < results.size(); n++) {
      Throwable failure = results.get(n);
      int index = indexes.get(n);
      if (failure instanceof Invoker.Withheld
          || run.failed(run.task(index).lane)
          || (failure != null && interrupting)) {
        continue; // behind a failed one of its lane, or nothing is known about it: it comes again
      }
      run.fate(
          index,
          failure == null
              ? verdicts.delivered(deliveries.get(n))
              : verdicts.failed(spec, deliveries.get(n), failure));
    }
  }

  /** Whether no worker is at work. */
  public boolean idle() {
    return busy.isEmpty();
  }

  /** Interrupts deliveries under way; they count as not made. For the end of a stop. */
  public void interrupt() {
    interrupting = true;
    busy.forEach(Thread::interrupt);
  }
}
