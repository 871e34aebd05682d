/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import static java.util.Objects.requireNonNull;

import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.RelayOptions;
import io.posthorn.internal.deliver.Unanswered.Sent;
import io.posthorn.internal.lease.LeaseKeeper;
import io.posthorn.internal.memory.HandlerLanes;
import io.posthorn.internal.memory.LaneEntry;
import io.posthorn.internal.memory.RelayMemory;
import io.posthorn.internal.memory.WorkBatch;
import io.posthorn.internal.memory.WorkDispatcher;
import io.posthorn.internal.policy.Unreadable;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.internal.run.Listeners;
import io.posthorn.spi.DeliveryInterceptor;
import io.posthorn.spi.Duty;
import io.posthorn.spi.Fate;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.MessageStore.Settled;
import io.posthorn.spi.PayloadCodec;
import io.posthorn.spi.PayloadUpcaster;
import io.posthorn.spi.Ticker;
import io.posthorn.spi.Transactions;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs deliveries on the executor: each worker takes a few messages of a lane, delivers them one by
 * one, and hands in what came of them. A worker ends when its handler has nothing more to do.
 */
public final class Workers {
  /**
   * After this time a worker hands in what it has done, so that fast outcomes do not wait for slow
   * deliveries.
   */
  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** So many answers are handed in together. */
  private static final int ANSWERS_AT_ONCE = 500;

  private final WorkDispatcher dispatcher;
  private final Executor executor;
  private final LeaseKeeper lease;
  private final Ticker ticker;
  private final String relay;
  private final Duration timeLimit;
  private final Verdicts verdicts;
  private final Circuits circuits;
  private final Invoker invoker;
  private final InTransaction inTransaction;
  private final FailureLog failures;
  private final Transactions transactions;
  private final Leftover leftover;
  private final Set<Seat> busy = ConcurrentHashMap.newKeySet();
  private final Set<Seat> lookingAfterAnswers = ConcurrentHashMap.newKeySet();
  private final Map<HandlerLanes, Unanswered> unanswered = new ConcurrentHashMap<>();
  private final int windowMessages;
  private volatile boolean interrupting;
  private volatile boolean heldBack; // lanes wait although there could be more workers

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
    this.timeLimit = setting.options().timeLimit();
    this.executor = setting.executor();
    this.lease = lease;
    this.failures = setting.failures();
    this.transactions = setting.transactions();
    this.leftover = new Leftover(setting.transactions());
    this.invoker =
        new Invoker(
            setting.codec(),
            new Upcasters(setting.upcasters()),
            new Interceptors(setting.interceptors(), setting.failures()));
    this.inTransaction = new InTransaction(setting, invoker);
    this.windowMessages = setting.options().windowMessages();
    this.circuits = new Circuits(relay, dispatcher, setting.listeners(), failures, ticker);
    this.verdicts = new Verdicts(setting, circuits);
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
        failures.failed("deliver", e);
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
        if (!ended || !lease.leaseValid() || interrupting) {
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
      deliver(seat.handler.spec(), seat, batch);
      if (batch.isProbe() && batch.gotThrough()) {
        circuits.gotThrough(seat.handler);
      }
      return true;
    } catch (RuntimeException | Error e) {
      failures.failed("deliver", e);
      return false;
    }
  }

  private <P> void deliver(HandlerSpec<P> spec, Seat seat, WorkBatch batch) {
    if (spec.batchHandler().isPresent()) {
      deliverBatch(spec, seat, batch);
      return;
    }
    long begun = ticker.nanos();
    for (int i = 0; i < batch.size() && mayStart(batch.entry(i)); i++) {
      deliverOne(spec, seat, batch, i);
      if (batch.isStopped(i) || seat.givenUp() || ticker.nanos() - begun > SLICE_NANOS) {
        return;
      }
    }
  }

  private boolean mayStart(LaneEntry entry) {
    return entry.isHeld() && !interrupting && lease.leaseValidFor(entry.owner());
  }

  private <P> void deliverOne(HandlerSpec<P> spec, Seat seat, WorkBatch batch, int index) {
    LaneEntry entry = batch.entry(index);
    if (entry.expired(ticker.nanos())) {
      batch.endedUntried(index, verdicts.expired(entry.message()));
      return;
    }
    Attempt<P> attempt = call(spec, seat, entry);
    if (attempt.settled() == Settled.GONE) { // its row was taken away meanwhile
      batch.endedAndStored(index);
    } else if (attempt.settled() == Settled.EXPELLED) {
      batch.notBegun(index);
      lease.expelled(entry.owner());
    } else {
      judge(seat, attempt, batch, index);
    }
  }

  private <P> Attempt<P> call(HandlerSpec<P> spec, Seat seat, LaneEntry entry) {
    Delivery delivery = entry.delivery();
    boolean inTransactionBefore = transactions.isThreadInTransaction();
    seat.enter();
    Attempt<P> attempt =
        spec.isTransactional()
            ? inTransaction.deliver(spec, entry, delivery)
            : invoker.call(spec, delivery);
    Attempt<P> ended = seat.leave() ? attempt.overdue(limitOf(spec)) : attempt;
    return inTransactionBefore ? ended : ended.leaving(leftover.check(spec.name()));
  }

  private void judge(Seat seat, Attempt<?> attempt, WorkBatch batch, int index) {
    boolean interruptedByStop = interrupting && attempt.failure() != null;
    Fate fate = interruptedByStop ? null : verdict(seat, attempt);
    if (fate == null) {
      batch.notBegun(index); // nothing is known about it, or it counts as not tried
    } else if (attempt.settled() == Settled.DONE) {
      batch.endedAndStored(index);
    } else if (attempt.failure() instanceof Invoker.Waiting) {
      batch.endedUntried(index, fate);
    } else {
      batch.ended(index, fate);
    }
  }

  /** A fallback is watched too. */
  private @Nullable Fate verdict(Seat seat, Attempt<?> attempt) {
    seat.enter();
    try {
      return verdicts.of(seat.handler, attempt);
    } finally {
      seat.leave();
    }
  }

  private <P> void deliverBatch(HandlerSpec<P> spec, Seat seat, WorkBatch batch) {
    List<Integer> indexes = new ArrayList<>();
    List<Delivery> deliveries = new ArrayList<>();
    Map<Integer, LaneEntry> byPartition = new HashMap<>();
    for (int i = 0; i < batch.size() && mayStart(batch.entry(i)); i++) {
      LaneEntry entry = batch.entry(i);
      byPartition.putIfAbsent(entry.message().partition(), entry);
      if (entry.expired(ticker.nanos())) {
        batch.endedUntried(i, verdicts.expired(entry.message()));
      } else {
        indexes.add(i);
        deliveries.add(entry.delivery());
      }
    }
    boolean inTransactionBefore = transactions.isThreadInTransaction();
    Unanswered sent = unansweredOf(seat.handler);
    seat.enter();
    Invoker.Called<P> called =
        invoker.call(
            spec.batchHandler().orElseThrow(),
            spec,
            deliveries,
            delivery -> mayStart(requireNonNull(byPartition.get(delivery.message().partition()))),
            destination -> sent.mustWait(destination, ticker.nanos()));
    boolean overdue = seat.leave();
    Throwable left = inTransactionBefore ? null : leftover.check(spec.name());
    for (Invoker.UnderWay<P> underWay : called.underWay()) {
      int index = indexes.get(underWay.index());
      batch.goesOn(index);
      await(sent, new Sent<>(batch.entry(index), underWay, batch.isProbe(), ticker.nanos()));
    }
    for (int n = 0; n < called.attempts().size(); n++) {
      int index = indexes.get(n);
      Attempt<P> attempt = called.attempts().get(n);
      if (attempt == null) {
        continue; // it is under way
      }
      attempt = (overdue ? attempt.overdue(limitOf(spec)) : attempt).leaving(left);
      if (attempt.failure() instanceof Invoker.Withheld) {
        batch.notBegun(index);
      } else if (!batch.isStopped(index)) { // else it comes again, in its turn
        judge(seat, attempt, batch, index);
      }
    }
  }

  // --- what is under way after its handler has returned

  private Unanswered unansweredOf(HandlerLanes handler) {
    return unanswered.computeIfAbsent(handler, one -> new Unanswered(one, windowMessages));
  }

  private <P> void await(Unanswered all, Sent<P> sent) {
    all.add(sent);
    sent.whenEnded(
        () -> {
          if (all.answered(sent)) {
            lookAfter(all);
          }
        });
    if (interrupting) {
      sent.leave();
    }
  }

  /** On a thread of the sender, which has better things to do than to run handlers' callbacks. */
  private void lookAfter(Unanswered all) {
    try {
      executor.execute(() -> takeAnswers(all));
    } catch (RuntimeException | Error e) { // full, shut down, or no native thread to be had
      all.unclaim(); // the watchdog tries again
      failures.failed("deliver", e);
    }
  }

  private void takeAnswers(Unanswered all) {
    Seat seat = new Seat(all.handler(), ticker);
    lookingAfterAnswers.add(seat);
    try {
      boolean more = true;
      while (more) {
        List<Sent<?>> answers = all.take(ANSWERS_AT_ONCE);
        end(seat, answers);
        if (seat.givenUp()) {
          return; // somebody else looks after the rest
        }
        if (answers.isEmpty()) {
          all.unclaim();
          more = all.claim(); // one may have come meanwhile
        }
      }
    } finally {
      lookingAfterAnswers.remove(seat);
    }
  }

  private void end(Seat seat, List<Sent<?>> answers) {
    List<WorkDispatcher.Ended> ended = new ArrayList<>(answers.size());
    for (Sent<?> sent : answers) {
      ended.add(new WorkDispatcher.Ended(sent.entry(), fateOf(seat, sent), sent.probe()));
    }
    if (!ended.isEmpty()) {
      dispatcher.ended(seat.handler, ended);
      start();
    }
  }

  private @Nullable Fate fateOf(Seat seat, Sent<?> sent) {
    try {
      Attempt<?> attempt = sent.attempt();
      Throwable failure = attempt.failure();
      sent.tellInterceptors(failure);
      boolean notBegun = failure instanceof Invoker.Withheld || (interrupting && failure != null);
      Fate fate = notBegun ? null : verdict(seat, attempt);
      if (fate != null && sent.probe()) {
        circuits.gotThrough(seat.handler);
      }
      return fate;
    } catch (RuntimeException | Error e) { // thrown by a logger, or for want of memory
      failures.failed("deliver", e);
      return null;
    }
  }

  /** Ends what has had no answer for too long, and has somebody look after answers. */
  void expireUnanswered() {
    long now = ticker.nanos();
    for (Unanswered all : unanswered.values()) {
      long limit = limitOf(all.handler().spec()).toNanos();
      all.olderThan(limit, now).forEach(Sent::failLate);
      if (all.claim()) {
        lookAfter(all);
      }
    }
    for (Seat seat : lookingAfterAnswers) {
      seat.interruptIfOver(
          limitOf(seat.handler.spec()).toNanos(), () -> unansweredOf(seat.handler).unclaim());
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
          limitOf(seat.handler.spec()).toNanos(),
          () -> hanging.add(new Hanging(seat.handler.name(), dispatcher.workerLost(seat.handler))));
    }
    return hanging;
  }

  /** The duty that looks after workers that hang or are held back. */
  public Duty watchdog(Collection<HandlerSpec<?>> handlers) {
    Duration shortest = timeLimit;
    for (HandlerSpec<?> handler : handlers) {
      shortest = limitOf(handler).compareTo(shortest) < 0 ? limitOf(handler) : shortest;
    }
    return new Watchdog(relay, this, shortest);
  }

  /**
   * Lanes wait although there could be more workers.
   *
   * @return whether that is news, so that the watchdog is to be nudged
   */
  public boolean noteHeldBack() {
    boolean news = !heldBack;
    heldBack = true;
    return news;
  }

  boolean isHeldBack() {
    return heldBack;
  }

  /** Starts what may be started by now; whether some are still held back. */
  boolean startHeldBack() {
    heldBack = false;
    start();
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
    interrupting = true;
    List<Seat> interrupted = List.copyOf(busy);
    interrupted.forEach(Seat::interrupt);
    int left = 0;
    for (Unanswered all : unanswered.values()) {
      for (Sent<?> sent : all.all()) {
        sent.leave();
        left++;
      }
    }
    return interrupted.size() + left;
  }
}
