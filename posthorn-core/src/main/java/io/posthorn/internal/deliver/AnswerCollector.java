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
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Looks after messages that are under way when their handler has returned: hands in their answers
 * as these arrive, and ends those that get none in time. Safe to share between threads.
 */
final class AnswerCollector {
  /** So many answers are handed in together. */
  private static final int ANSWERS_AT_ONCE = 500;

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
  private final Set<Seat> lookingAfter = ConcurrentHashMap.newKeySet();

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
    Seat seat = new Seat(all.handler(), ticker);
    lookingAfter.add(seat);
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
      lookingAfter.remove(seat);
    }
  }

  private void end(Seat seat, List<Sent<?>> answers) {
    List<WorkDispatcher.Ended> ended = new ArrayList<>(answers.size());
    for (Sent<?> sent : answers) {
      ended.add(new WorkDispatcher.Ended(sent.entry(), fateOf(seat, sent), sent.probe()));
    }
    if (!ended.isEmpty()) {
      dispatcher.ended(seat.handler, ended);
      startWorkers.run();
    }
  }

  private @Nullable Fate fateOf(Seat seat, Sent<?> sent) {
    try {
      Attempt<?> attempt = sent.attempt();
      Throwable failure = attempt.failure();
      sent.tellInterceptors(failure);
      boolean notBegun =
          failure instanceof Invoker.Withheld || (interrupting.get() && failure != null);
      Fate fate = notBegun ? null : verdicts.of(seat, attempt);
      if (fate != null && sent.probe()) {
        circuits.gotThrough(seat.handler);
      }
      return fate;
    } catch (RuntimeException | Error e) { // thrown by a logger, or for want of memory
      failures.callFailed("a worker of handler \"" + seat.handler.name() + "\"", e);
      return null;
    }
  }

  /** Ends what has had no answer for too long, and has somebody look after answers. */
  void expire() {
    long now = ticker.nanos();
    for (Unanswered all : unanswered.values()) {
      long limit = limits.of(all.handler().spec()).toNanos();
      all.olderThan(limit, now).forEach(Sent::failLate);
      if (all.claim()) {
        lookAfter(all);
      }
    }
    for (Seat seat : lookingAfter) {
      seat.interruptIfOver(
          limits.of(seat.handler.spec()).toNanos(), () -> of(seat.handler).unclaim());
    }
  }

  /**
   * Gives up what has no answer. For the end of a stop.
   *
   * @return how many
   */
  int leaveAll() {
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
