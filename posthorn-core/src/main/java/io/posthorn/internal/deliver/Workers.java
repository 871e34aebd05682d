/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.HandlerSpec;
import io.posthorn.RelayOptions;
import io.posthorn.internal.lease.LeaseKeeper;
import io.posthorn.internal.memory.HandlerLanes;
import io.posthorn.internal.memory.RelayMemory;
import io.posthorn.internal.memory.WorkBatch;
import io.posthorn.internal.memory.WorkDispatcher;
import io.posthorn.internal.policy.Unreadable;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.internal.run.Listeners;
import io.posthorn.spi.DeliveryInterceptor;
import io.posthorn.spi.Duty;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.PayloadCodec;
import io.posthorn.spi.PayloadUpcaster;
import io.posthorn.spi.Ticker;
import io.posthorn.spi.Transactions;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Runs deliveries on the executor: each worker takes a few messages of a lane, delivers them one by
 * one, and hands in what came of them. A worker ends when its handler has nothing more to do.
 */
public final class Workers {
  private final WorkDispatcher dispatcher;
  private final Executor executor;
  private final LeaseKeeper lease;
  private final Ticker ticker;
  private final String relay;
  private final TimeLimits limits;
  private final Circuits circuits;
  private final BatchDelivery deliveries;
  private final AnswerCollector answers;
  private final FailureLog failures;
  private final Set<Seat> busy = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean interrupting = new AtomicBoolean();
  private volatile boolean heldBack; // lanes wait although there could be more workers
  private volatile boolean aiding; // the watchdog is starting what was held back

  /**
   * What deliveries need beside the memory and the lease.
   *
   * @param codec null if there is none
   * @param upcasters by the type as it is delivered
   */
  public record Setting(
      String relay,
      Executor executor,
      Clock clock,
      Ticker ticker,
      RelayOptions options,
      Transactions transactions,
      MessageStore store,
      @Nullable PayloadCodec codec,
      Map<String, PayloadUpcaster> upcasters,
      List<DeliveryInterceptor> interceptors,
      Unreadable unreadable,
      Listeners listeners,
      FailureLog failures) {}

  public Workers(RelayMemory memory, LeaseKeeper lease, Setting setting) {
    this.relay = setting.relay();
    this.dispatcher = memory.dispatcher();
    this.ticker = setting.ticker();
    this.limits = new TimeLimits(setting.options().timeLimit());
    this.executor = setting.executor();
    this.lease = lease;
    this.failures = setting.failures();
    this.circuits = new Circuits(relay, dispatcher, setting.listeners(), failures, ticker);
    Verdicts verdicts = new Verdicts(setting, circuits);
    this.answers =
        new AnswerCollector(setting, dispatcher, verdicts, circuits, interrupting, this::start);
    this.deliveries = new BatchDelivery(setting, lease, verdicts, answers, interrupting);
  }

  /**
   * Starts workers for the lanes that wait, as far as the handlers allow it. Never blocks.
   *
   * @return how many
   */
  public int start() {
    int started = 0;
    for (HandlerLanes handler :
        lease.leaseValid() ? dispatcher.claimWorkers() : List.<HandlerLanes>of()) {
      try {
        executor.execute(() -> work(handler));
        started++;
      } catch (RuntimeException | Error e) { // full, shut down, or no native thread to be had
        dispatcher.workerNotStarted(handler);
        failures.callFailed("the start of a worker", e);
      }
    }
    return started;
  }

  private void work(HandlerLanes handler) {
    Seat seat = new Seat(handler, ticker);
    busy.add(seat);
    try {
      WorkBatch batch = dispatcher.nextBatch(handler, null);
      while (batch != null) {
        boolean ended = deliverGuarded(seat, batch);
        if (seat.givenUp()) {
          dispatcher.workerBack(handler, batch);
          start();
          return;
        }
        if (!ended || !lease.leaseValid() || interrupting.get()) {
          dispatcher.finish(handler, batch);
          return;
        }
        batch = dispatcher.nextBatch(handler, batch);
      }
    } finally {
      busy.remove(seat);
    }
  }

  /**
   * What is thrown beside the handler, by a logger or for want of memory, must not cost the worker
   * and its lanes: what it has not come to is delivered later.
   *
   * @return whether nothing was thrown
   */
  private boolean deliverGuarded(Seat seat, WorkBatch batch) {
    try {
      deliveries.deliver(seat.handler.spec(), seat, batch);
      if (batch.isProbe() && batch.gotThrough()) {
        circuits.gotThrough(seat.handler);
      }
      return true;
    } catch (RuntimeException | Error e) {
      failures.callFailed("a worker of handler \"" + seat.handler.name() + "\"", e);
      return false;
    }
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
          limits.of(seat.handler.spec()).toNanos(),
          () -> hanging.add(new Hanging(seat.handler.name(), dispatcher.workerLost(seat.handler))));
    }
    return hanging;
  }

  /**
   * The duty that looks after workers that hang or are held back.
   *
   * @param others looks after what else may hang
   */
  public Duty watchdog(Collection<HandlerSpec<?>> handlers, Runnable others) {
    return new Watchdog(relay, this, answers, limits.shortest(handlers), others);
  }

  /**
   * Lanes wait although there could be more workers.
   *
   * @return whether that is news, so that the watchdog is to be nudged. While it starts workers, it
   *     finds out by itself: a nudge would keep it from waiting between one look and the next
   */
  public boolean noteHeldBack() {
    boolean news = !heldBack && !aiding;
    heldBack = true;
    return news;
  }

  boolean isHeldBack() {
    return heldBack;
  }

  /** Starts what may be started by now; whether some are still held back. */
  boolean startHeldBack() {
    aiding = true;
    try {
      heldBack = false;
      start();
    } finally {
      aiding = false;
    }
    return heldBack;
  }

  /** A handler that was interrupted, and whether it gets no more workers. */
  record Hanging(String handler, boolean stuck) {}

  /**
   * Interrupts deliveries under way; they count as not made. For the end of a stop.
   *
   * @return how many
   */
  public int interrupt() {
    interrupting.set(true);
    List<Seat> interrupted = List.copyOf(busy);
    interrupted.forEach(Seat::interrupt);
    return interrupted.size() + answers.leaveAll();
  }
}
