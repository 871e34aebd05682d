/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.http;

import io.posthorn.spi.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many requests are under way to each host, and keeps the others in the order in which
 * they came. Safe to share between threads; nobody waits in here.
 */
final class RequestQueues {
  private final int maxConcurrent;
  private final Ticker ticker;
  private final Consumer<PendingRequest> start;
  private final Consumer<PendingRequest> expire;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Queue> byOrigin = new HashMap<>(); // guarded by lock
  private boolean closed; // guarded by lock

  /** Requests to one host. Guarded by lock. */
  private static final class Queue {
    final Set<PendingRequest> underWay = new HashSet<>();
    final Deque<PendingRequest> waiting = new ArrayDeque<>();
  }

  /**
   * @param start begins with a request and returns at once; called outside the lock
   * @param expire ends a request that has waited too long; called outside the lock
   */
  RequestQueues(
      int maxConcurrent,
      Ticker ticker,
      Consumer<PendingRequest> start,
      Consumer<PendingRequest> expire) {
    this.maxConcurrent = maxConcurrent;
    this.ticker = ticker;
    this.start = start;
    this.expire = expire;
  }

  /**
   * Starts it now or when others to its host have ended.
   *
   * @return false if it was closed; then nothing was done
   */
  boolean add(PendingRequest request) {
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      Queue queue = byOrigin.computeIfAbsent(request.origin(), origin -> new Queue());
      if (queue.underWay.size() >= maxConcurrent) {
        queue.waiting.addLast(request);
        return true;
      }
      queue.underWay.add(request);
    } finally {
      lock.unlock();
    }
    start.accept(request);
    return true;
  }

  /** A request has ended: another one takes its place. */
  void ended(PendingRequest request) {
    PendingRequest next;
    List<PendingRequest> late = new ArrayList<>(0);
    lock.lock();
    try {
      Queue queue = byOrigin.get(request.origin());
      if (queue == null || !queue.underWay.remove(request)) {
        return;
      }
      next = next(queue, late);
      if (next != null) {
        queue.underWay.add(next);
      } else if (queue.underWay.isEmpty()) {
        byOrigin.remove(request.origin());
      }
    } finally {
      lock.unlock();
    }
    late.forEach(expire);
    if (next != null) {
      start.accept(next);
    }
  }

  /** Passes over those that have waited too long. */
  private @Nullable PendingRequest next(Queue queue, List<PendingRequest> late) {
    long now = ticker.nanos();
    PendingRequest next = queue.waiting.pollFirst();
    while (next != null && next.isLate(now)) {
      late.add(next);
      next = queue.waiting.pollFirst();
    }
    return next;
  }

  /** Takes no more, and returns what was under way or waited. */
  List<PendingRequest> close() {
    List<PendingRequest> all = new ArrayList<>();
    lock.lock();
    try {
      closed = true;
      for (Queue queue : byOrigin.values()) {
        all.addAll(queue.waiting);
        all.addAll(queue.underWay);
      }
      byOrigin.clear();
    } finally {
      lock.unlock();
    }
    return all;
  }
}
