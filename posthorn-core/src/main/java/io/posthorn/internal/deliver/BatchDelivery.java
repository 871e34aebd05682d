/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import static java.util.Objects.requireNonNull;

import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.internal.deliver.Unanswered.Sent;
import io.posthorn.internal.lease.LeaseKeeper;
import io.posthorn.internal.memory.LaneEntry;
import io.posthorn.internal.memory.WorkBatch;
import io.posthorn.spi.Fate;
import io.posthorn.spi.MessageStore.Settled;
import io.posthorn.spi.Ticker;
import io.posthorn.spi.Transactions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Delivers what a worker has taken: calls the handler for each message, or for all of them, and
 * notes what came of it. Safe to share between threads, each with a batch of its own.
 */
final class BatchDelivery {
  /**
   * After this time a worker hands in what it has done, so that fast outcomes do not wait for slow
   * deliveries.
   */
  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final LeaseKeeper lease;
  private final Verdicts verdicts;
  private final AnswerCollector answers;
  private final AtomicBoolean interrupting;
  private final Ticker ticker;
  private final TimeLimits limits;
  private final Invoker invoker;
  private final InTransaction inTransaction;
  private final Transactions transactions;
  private final Leftover leftover;

  /**
   * @param interrupting whether nothing is begun any more and failures count as not tried
   */
  BatchDelivery(
      Workers.Setting setting,
      LeaseKeeper lease,
      Verdicts verdicts,
      AnswerCollector answers,
      AtomicBoolean interrupting) {
    this.lease = lease;
    this.verdicts = verdicts;
    this.answers = answers;
    this.interrupting = interrupting;
    this.ticker = setting.ticker();
    this.limits = new TimeLimits(setting.options().timeLimit());
    this.invoker =
        new Invoker(
            setting.codec(),
            new Upcasters(setting.upcasters()),
            new Interceptors(setting.interceptors(), setting.failures()));
    this.inTransaction = new InTransaction(setting, invoker);
    this.transactions = setting.transactions();
    this.leftover = new Leftover(setting.transactions());
  }

  /** Delivers as much of the batch as may be delivered now. */
  <P> void deliver(HandlerSpec<P> spec, Seat seat, WorkBatch batch) {
    if (spec.batchHandler().isPresent()) {
      deliverBatch(spec, seat, batch);
      return;
    }
    long begun = ticker.nanos();
    long now = begun; // asked once for each message: a clock costs as much as the rest of the loop
    for (int i = 0; i < batch.size() && mayStart(batch.entry(i), now); i++) {
      deliverOne(spec, seat, batch, i, now);
      now = ticker.nanos();
      if (batch.isStopped(i) || seat.givenUp() || now - begun > SLICE_NANOS) {
        return;
      }
    }
  }

  private boolean mayStart(LaneEntry entry, long now) {
    return entry.isHeld() && !interrupting.get() && lease.leaseValidFor(entry.owner(), now);
  }

  private <P> void deliverOne(
      HandlerSpec<P> spec, Seat seat, WorkBatch batch, int index, long now) {
    LaneEntry entry = batch.entry(index);
    if (entry.expired(now)) {
      batch.endedUntried(index, verdicts.expired(entry.message()));
      return;
    }
    if (entry.mayHaveExpired(now)) {
      batch.endedUntried(index, entry.readAgain());
      return;
    }
    Attempt<P> attempt = call(spec, seat, entry, now);
    if (attempt.settled() == Settled.GONE) { // taken away by an operator, or by a restore
      batch.endedAsGone(index);
    } else if (attempt.settled() == Settled.EXPELLED) {
      batch.notBegun(index);
      lease.expelled(entry.owner());
    } else {
      judge(seat, attempt, batch, index);
    }
  }

  private <P> Attempt<P> call(HandlerSpec<P> spec, Seat seat, LaneEntry entry, long now) {
    Delivery delivery = entry.delivery();
    boolean inTransactionBefore = transactions.isThreadInTransaction();
    seat.enter(now);
    Attempt<P> attempt =
        spec.isTransactional()
            ? inTransaction.deliver(spec, entry, delivery)
            : invoker.call(spec, delivery);
    Attempt<P> ended = seat.leave() ? attempt.overdue(limits.of(spec)) : attempt;
    return inTransactionBefore ? ended : ended.leaving(leftover.check(spec.name()));
  }

  private void judge(Seat seat, Attempt<?> attempt, WorkBatch batch, int index) {
    boolean interruptedByStop = interrupting.get() && attempt.failure() != null;
    Fate fate = interruptedByStop ? null : verdicts.of(seat, attempt);
    if (fate == null) {
      batch.notBegun(index); // nothing is known about it, or it counts as not tried
    } else if (attempt.settled() == Settled.DONE) {
      batch.endedAndStored(index);
    } else if (attempt.reached()) {
      batch.ended(index, fate);
    } else {
      batch.endedUntried(index, fate);
    }
  }

  private <P> void deliverBatch(HandlerSpec<P> spec, Seat seat, WorkBatch batch) {
    List<Integer> indexes = new ArrayList<>();
    List<Delivery> deliveries = new ArrayList<>();
    Map<Integer, LaneEntry> byPartition = new HashMap<>();
    long now = ticker.nanos();
    for (int i = 0; i < batch.size() && mayStart(batch.entry(i), now); i++) {
      LaneEntry entry = batch.entry(i);
      byPartition.putIfAbsent(entry.message().partition(), entry);
      if (batch.isStopped(i)) {
        continue; // it comes again, in its turn
      }
      if (entry.expired(now)) {
        batch.endedUntried(i, verdicts.expired(entry.message()));
      } else if (entry.mayHaveExpired(now)) {
        batch.endedUntried(i, entry.readAgain());
      } else {
        indexes.add(i);
        deliveries.add(entry.delivery());
      }
    }
    boolean inTransactionBefore = transactions.isThreadInTransaction();
    Unanswered sent = answers.of(seat.handler);
    Unanswered.Admission admission = sent.admission();
    List<Sent<?>> underWay = new ArrayList<>(0);
    Invoker.Called<P> called;
    boolean overdue;
    seat.enter(now);
    try {
      called =
          invoker.call(
              spec.batchHandler().orElseThrow(),
              spec,
              deliveries,
              delivery ->
                  mayStart(
                      requireNonNull(byPartition.get(delivery.message().partition())),
                      ticker.nanos()),
              (delivery, destination) -> admission.refusal(delivery, destination, ticker));
      overdue = seat.leave();
      for (Invoker.UnderWay<P> one : called.underWay()) {
        int index = indexes.get(one.index());
        batch.goesOn(index);
        underWay.add(new Sent<>(batch.entry(index), one, batch.isProbe(), ticker.nanos()));
      }
    } finally {
      admission.end(underWay);
    }
    underWay.forEach(one -> answers.await(sent, one));
    Throwable left = inTransactionBefore ? null : leftover.check(spec.name());
    for (int n = 0; n < called.attempts().size(); n++) {
      int index = indexes.get(n);
      Attempt<P> attempt = called.attempts().get(n);
      if (attempt == null) {
        continue; // it is under way
      }
      attempt = (overdue ? attempt.overdue(limits.of(spec)) : attempt).leaving(left);
      if (attempt.failure() instanceof Invoker.Withheld) {
        batch.notBegun(index);
      } else if (!batch.isStopped(index)) { // else it comes again, in its turn
        judge(seat, attempt, batch, index);
      }
    }
  }
}
