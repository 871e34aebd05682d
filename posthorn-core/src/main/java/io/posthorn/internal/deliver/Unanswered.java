/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.Delivery;
import io.posthorn.internal.deliver.Invoker.UnderWay;
import io.posthorn.internal.memory.Destinations;
import io.posthorn.internal.memory.HandlerLanes;
import io.posthorn.internal.memory.LaneEntry;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
  /** A destination without room that leaves so old a message without an answer gets no more. */
  private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final HandlerLanes handler;
  private final SendWindow.Destinations window;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<@Nullable String, Set<Sent<?>>> byDestination =
      new HashMap<>(); // guarded by lock
  private final ConcurrentLinkedQueue<Sent<?>> answers = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean lookedAfter = new AtomicBoolean();

  /** A message that was sent. Equal only to itself. */
  static final class Sent<P> {
    private final LaneEntry entry;
    private final UnderWay<P> underWay;
    private final boolean probe;
    private final long since;
    private final @Nullable String destination; // null if the handler has named none
    private final long bytes;

    /**
     * @param probe whether it is to find out whether the handler's destination is back
     */
    Sent(LaneEntry entry, UnderWay<P> underWay, boolean probe, long since) {
      this.entry = entry;
      this.underWay = underWay;
      this.probe = probe;
      this.since = since;
      this.destination = underWay.batch().destination(underWay.item()).orElse(null);
      this.bytes = entry.message().envelope().bytes();
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

  Unanswered(HandlerLanes handler, SendWindow.Destinations window) {
    this.handler = handler;
    this.window = window;
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
    remove(sent);
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

  /** Takes an answer, the oldest first; null if there is none. */
  @Nullable Sent<?> poll() {
    return answers.poll();
  }

  private void remove(Sent<?> sent) {
    lock.lock();
    try {
      Set<Sent<?>> others = byDestination.get(sent.destination);
      if (others == null || !others.remove(sent)) {
        throw new IllegalStateException("answered twice: " + sent.entry.message());
      }
      if (others.isEmpty()) {
        byDestination.remove(sent.destination);
      }
    } finally {
      lock.unlock();
    }
    if (sent.destination != null) {
      window.release(sent.destination, 1, sent.bytes);
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

  /** For one batch: what it sends takes room until it is answered. */
  Admission admission() {
    return new Admission();
  }

  /** Decides which messages of one batch are sent now. Safe to share between threads. */
  final class Admission {
    private final Map<String, Sum> admitted = new ConcurrentHashMap<>(2);
    private final Set<String> full = ConcurrentHashMap.newKeySet(2);

    /** Why a message is not sent now, if it is not. */
    Optional<? extends Exception> refusal(Delivery delivery, String destination, Ticker ticker) {
      Destinations.Wait wait =
          handler.destinations().mustWait(destination, ticker.nanos()).orElse(null);
      if (wait != null) {
        return Optional.of(new Invoker.Waiting(wait.delay(), wait.reason()));
      }
      long bytes = delivery.message().envelope().bytes();
      if (!full.contains(destination) && window.reserve(destination, bytes)) {
        count(destination, 1, bytes);
        return Optional.empty();
      }
      return Optional.of(noRoom(destination, ticker.nanos()));
    }

    private void count(String destination, int messages, long bytes) {
      Sum more = new Sum(messages, bytes);
      admitted.merge(destination, more, Sum::plus);
    }

    /**
     * A destination that is slow to answer gets no more for a while. Otherwise the message comes
     * again: at once, when this batch has ended, or when there is room.
     */
    private Exception noRoom(String destination, long now) {
      OptionalLong oldest = oldest(destination);
      long age = oldest.isPresent() ? now - oldest.getAsLong() : 0;
      if (age >= SLOW_NANOS) {
        return slow(destination, now, age);
      }
      if (full.add(destination) && !admitted.containsKey(destination)) {
        awaitRoom(destination, SLOW_NANOS - age);
      }
      return new Invoker.Withheld();
    }

    private void awaitRoom(String destination, long nanos) {
      try {
        window.awaitRoom(destination, nanos);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** The batch has ended; those that are not under way give their room back. */
    void end(List<Sent<?>> underWay) {
      for (Sent<?> sent : underWay) {
        if (sent.destination != null) {
          count(sent.destination, -1, -sent.bytes);
        }
      }
      admitted.forEach(
          (destination, rest) -> {
            if (rest.messages > 0) {
              window.release(destination, rest.messages, rest.bytes);
            }
          });
    }
  }

  private record Sum(int messages, long bytes) {
    Sum plus(Sum more) {
      return new Sum(messages + more.messages, bytes + more.bytes);
    }
  }

  private OptionalLong oldest(String destination) {
    lock.lock();
    try {
      Set<Sent<?>> sent = byDestination.get(destination);
      return sent == null ? OptionalLong.empty() : OptionalLong.of(sent.iterator().next().since);
    } finally {
      lock.unlock();
    }
  }

  /** The further behind it is, the longer: each time, all that waits for it is read in vain. */
  private Invoker.Waiting slow(String destination, long now, long age) {
    Duration delay = handler.destinations().delay(destination, now);
    Duration behind = Duration.ofNanos(Math.min(age, MAX_WAIT_NANOS));
    return new Invoker.Waiting(
        behind.compareTo(delay) > 0 ? behind : delay,
        "\"%s\" has %d messages without an answer, one of them for %d ms"
            .formatted(
                destination, window.messages(destination), TimeUnit.NANOSECONDS.toMillis(age)));
  }
}
