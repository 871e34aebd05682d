/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.RelayOptions;
import io.posthorn.internal.deliver.Unanswered.Sent;
import io.posthorn.internal.memory.HandlerLanes;
import io.posthorn.internal.memory.WorkDispatcher;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.spi.Fate;
import io.posthorn.spi.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Looks after messages that are under way when their handler has returned: hands in their answers
 * as these arrive, and ends those that get none in time. Safe to share between threads.
 */
final class AnswerCollector {
  /** So many answers are handed in together, at the most. */
  private static final int MAX_ENDED = 500;

  /** After this time a worker hands in what it has, as others wait for it. */
  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final WorkDispatcher dispatcher;
  private final Verdicts verdicts;
  private final Circuits circuits;
  private final AtomicBoolean interrupting;
  private final Runnable startWorkers;
  private final Executor executor;
  private final Ticker ticker;
  private final FailureLog failures;
  private final TimeLimits limits;
  private final SendWindow window;
  private final Map<HandlerLanes, Unanswered> unanswered = new ConcurrentHashMap<>();
  private final Set<Turn> turns = ConcurrentHashMap.newKeySet();

  /**
   * @param interrupting whether failures count as not tried: the relay ends
   * @param startWorkers called when lanes may go on
   */
  AnswerCollector(
      Workers.Setting setting,
      WorkDispatcher dispatcher,
      Verdicts verdicts,
      Circuits circuits,
      AtomicBoolean interrupting,
      Runnable startWorkers) {
    this.dispatcher = dispatcher;
    this.verdicts = verdicts;
    this.circuits = circuits;
    this.interrupting = interrupting;
    this.startWorkers = startWorkers;
    this.executor = setting.executor();
    this.ticker = setting.ticker();
    this.failures = setting.failures();
    this.limits = new TimeLimits(setting.options().timeLimit());
    RelayOptions options = setting.options();
    this.window = new SendWindow(options.windowMessages(), options.windowBytes());
  }

  /** What the handler has sent and got no answer to. */
  Unanswered of(HandlerLanes handler) {
    return unanswered.computeIfAbsent(handler, one -> new Unanswered(one, window.destinations()));
  }

  /** A message was sent. */
  <P> void await(Unanswered all, Sent<P> sent) {
    all.add(sent);
    sent.whenEnded(
        () -> {
          if (all.answered(sent)) {
            lookAfter(all);
          }
        });
    if (interrupting.get()) {
      sent.leave();
    }
  }

  /** On a thread of the sender, which has better things to do than to run handlers' callbacks. */
  private void lookAfter(Unanswered all) {
    try {
      executor.execute(() -> takeAnswers(all));
    } catch (RuntimeException | Error e) { // full, shut down, or no native thread to be had
      all.unclaim(); // the watchdog tries again
      failures.callFailed("the start of a worker", e);
    }
  }

  private void takeAnswers(Unanswered all) {
    Turn turn = new Turn(all);
    turns.add(turn);
    try {
      boolean more = true;
      while (more) {
        Sent<?> answer = all.poll();
        if (answer != null) {
          turn.judge(answer);
          if (turn.seat.givenUp()) {
            turn.handIn();
            return; // somebody else looks after the rest
          }
        } else {
          turn.handIn();
          all.unclaim();
          more = all.claim(); // one may have come meanwhile
        }
      }
    } finally {
      turns.remove(turn);
    }
  }

  /**
   * A worker that takes answers. It takes one at a time and hands in several: if a callback of the
   * user's hangs, another worker goes on with the rest, and the watchdog hands in what was done.
   */
  private final class Turn {
    private final Unanswered all;
    private final Seat seat;
    private final ReentrantLock lock = new ReentrantLock();
    private List<WorkDispatcher.Ended> ended = new ArrayList<>(); // guarded by lock
    private long since = ticker.nanos(); // the worker's thread only

    Turn(Unanswered all) {
      this.all = all;
      this.seat = new Seat(all.handler(), ticker);
    }

    void judge(Sent<?> answer) {
      long now = ticker.nanos();
      Fate fate = fateOf(seat, answer, now);
      if (add(new WorkDispatcher.Ended(answer.entry(), fate, answer.probe())) >= MAX_ENDED
          || now - since > SLICE_NANOS) {
        handIn();
        since = now;
      }
    }

    private int add(WorkDispatcher.Ended one) {
      lock.lock();
      try {
        ended.add(one);
        return ended.size();
      } finally {
        lock.unlock();
      }
    }

    /** By the worker, or by the watchdog if the worker hangs. */
    void handIn() {
      List<WorkDispatcher.Ended> taken;
      lock.lock();
      try {
        taken = ended;
        ended = new ArrayList<>();
      } finally {
        lock.unlock();
      }
      if (!taken.isEmpty()) {
        dispatcher.ended(all.handler(), taken);
        startWorkers.run();
      }
    }

    void interruptIfOver() {
      seat.interruptIfOver(
          limits.of(all.handler().spec()).toNanos(),
          () -> {
            handIn();
            all.unclaim();
          });
    }
  }

  private @Nullable Fate fateOf(Seat seat, Sent<?> sent, long now) {
    seat.enter(now);
    try {
      Attempt<?> attempt = sent.attempt();
      Throwable failure = attempt.failure();
      sent.tellInterceptors(failure);
      boolean notBegun =
          failure instanceof Invoker.Withheld || (interrupting.get() && failure != null);
      Fate fate = notBegun ? null : verdicts.of(seat.handler, attempt);
      if (fate != null && sent.probe() && attempt.reached()) {
        circuits.gotThrough(seat.handler);
      }
      return fate;
    } catch (RuntimeException | Error e) { // thrown by a logger, or for want of memory
      failures.callFailed("a worker of handler \"" + seat.handler.name() + "\"", e);
      return null;
    } finally {
      seat.leave();
    }
  }

  /** Ends what has had no answer for too long, and has somebody look after answers. */
  void expire() {
    turns.forEach(Turn::interruptIfOver);
    long now = ticker.nanos();
    for (Unanswered all : unanswered.values()) {
      long limit = limits.of(all.handler().spec()).toNanos();
      all.olderThan(limit, now).forEach(Sent::failLate);
      if (all.claim()) {
        lookAfter(all);
      }
    }
  }

  /**
   * Gives up what has no answer, and interrupts callbacks. For the end of a stop.
   *
   * @return how many
   */
  int leaveAll() {
    turns.forEach(turn -> turn.seat.interrupt());
    int left = 0;
    for (Unanswered all : unanswered.values()) {
      for (Sent<?> sent : all.all()) {
        sent.leave();
        left++;
      }
    }
    return left;
  }
}
