/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.internal.deliver.Invoker.UnderWay;
import io.posthorn.internal.memory.Destinations;
import io.posthorn.internal.memory.HandlerLanes;
import io.posthorn.internal.memory.LaneEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Messages of one handler that were sent and have no answer yet, by destination, and answers that
 * nobody has looked at. Safe to share between threads.
 */
final class Unanswered {
  /** A destination that leaves so old a message without an answer gets no more than its part. */
  private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final int PART_OF_WINDOW = 8;

  private final HandlerLanes handler;
  private final int maxPerSlowDestination;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Set<Sent<?>>> byDestination = new HashMap<>(); // guarded by lock
  private final ConcurrentLinkedQueue<Sent<?>> answers = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean lookedAfter = new AtomicBoolean();

  /** A message that was sent. Equal only to itself. */
  static final class Sent<P> {
    private final LaneEntry entry;
    private final UnderWay<P> underWay;
    private final boolean probe;
    private final long since;
    private final String destination;

    /**
     * @param probe whether it is to find out whether the handler's destination is back
     */
    Sent(LaneEntry entry, UnderWay<P> underWay, boolean probe, long since) {
      this.entry = entry;
      this.underWay = underWay;
      this.probe = probe;
      this.since = since;
      this.destination = underWay.batch().destination(underWay.item()).orElse("");
    }

    LaneEntry entry() {
      return entry;
    }

    boolean probe() {
      return probe;
    }

    /** What came of it, once it has ended. */
    Attempt<P> attempt() {
      return underWay.attempt();
    }

    void tellInterceptors(@Nullable Throwable failure) {
      underWay.ended().accept(failure);
    }

    void whenEnded(Runnable action) {
      underWay.batch().whenEnded(underWay.item(), action);
    }

    /** Fails it, unless it has ended. */
    void failLate() {
      underWay.batch().failLate(underWay.item());
    }

    /** Gives it up, unless it has ended. */
    void leave() {
      underWay.batch().leave(underWay.item());
    }
  }

  Unanswered(HandlerLanes handler, int windowMessages) {
    this.handler = handler;
    this.maxPerSlowDestination = Math.max(1, windowMessages / PART_OF_WINDOW);
  }

  HandlerLanes handler() {
    return handler;
  }

  void add(Sent<?> sent) {
    lock.lock();
    try {
      byDestination.computeIfAbsent(sent.destination, any -> new LinkedHashSet<>()).add(sent);
    } finally {
      lock.unlock();
    }
  }

  /**
   * An answer has come, on any thread.
   *
   * @return whether somebody has to be sent to look after it
   */
  boolean answered(Sent<?> sent) {
    answers.add(sent);
    return lookedAfter.compareAndSet(false, true);
  }

  /** Whether there are answers and nobody looks after them; then the caller does. */
  boolean claim() {
    return !answers.isEmpty() && lookedAfter.compareAndSet(false, true);
  }

  /** The caller no longer looks after the answers. */
  void unclaim() {
    lookedAfter.set(false);
  }

  /** Takes some answers, in the order in which they came. */
  List<Sent<?>> take(int max) {
    List<Sent<?>> taken = new ArrayList<>();
    Sent<?> next = answers.poll();
    while (next != null) {
      taken.add(next);
      next = taken.size() < max ? answers.poll() : null;
    }
    lock.lock();
    try {
      taken.forEach(this::remove);
    } finally {
      lock.unlock();
    }
    return taken;
  }

  private void remove(Sent<?> sent) {
    String destination = sent.destination;
    Set<Sent<?>> others = byDestination.get(destination);
    if (others != null && others.remove(sent) && others.isEmpty()) {
      byDestination.remove(destination);
    }
  }

  /** All of them. */
  List<Sent<?>> all() {
    return olderThan(Long.MIN_VALUE, 0);
  }

  /** Those that were sent before a time, the oldest of each destination first. */
  List<Sent<?>> olderThan(long nanos, long now) {
    List<Sent<?>> old = new ArrayList<>(0);
    lock.lock();
    try {
      for (Set<Sent<?>> sent : byDestination.values()) {
        for (Sent<?> one : sent) {
          if (now - one.since < nanos) {
            break;
          }
          old.add(one);
        }
      }
    } finally {
      lock.unlock();
    }
    return old;
  }

  /** Why a message to this destination is not sent now, if it is not. */
  Optional<Invoker.Waiting> mustWait(String destination, long now) {
    Destinations.Wait wait = handler.destinations().mustWait(destination, now).orElse(null);
    if (wait != null) {
      return Optional.of(new Invoker.Waiting(wait.delay(), wait.reason()));
    }
    lock.lock();
    try {
      Set<Sent<?>> sent = byDestination.get(destination);
      Sent<?> oldest = sent == null ? null : oldestOfMany(sent);
      return oldest == null || now - oldest.since < SLOW_NANOS
          ? Optional.empty()
          : Optional.of(slow(destination, now, oldest.since));
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Sent<?> oldestOfMany(Set<Sent<?>> sent) {
    return sent.size() < maxPerSlowDestination ? null : sent.iterator().next();
  }

  private Invoker.Waiting slow(String destination, long now, long since) {
    return new Invoker.Waiting(
        handler.destinations().delay(destination, now),
        "\"%s\" has %d messages or more without an answer, one of them for %d ms"
            .formatted(
                destination, maxPerSlowDestination, Duration.ofNanos(now - since).toMillis()));
  }
}
