/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Says which messages go to their exchange now, and keeps those that wait for the answer to another
 * one. Nobody waits in here. Safe to share between threads.
 *
 * <p>An exchange is proven when the broker has confirmed or rejected a message to it. What goes
 * alone has a turn until it is answered, be it by a timeout, and whatever becomes of it then, its
 * turn passes to those that wait.
 */
final class Admission {
  /** To one exchange. Each takes a channel, and a queue may confirm nothing for a long time. */
  private static final int MAX_ALONE = 8;

  private final Consumer<List<Pending>> again;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Destination> destinations = new HashMap<>(); // guarded by lock

  /** How a message goes. */
  enum Way {
    WITH_OTHERS,
    ALONE,
    /** It comes again when another one is answered. */
    LATER
  }

  /** An exchange. Guarded by lock. */
  private static final class Destination {
    final Set<Pending> alone = new HashSet<>();
    final List<Pending> waiting = new ArrayList<>();
    boolean proven;

    boolean goesWithOthers(Pending pending) {
      return proven && !pending.goesAlone();
    }

    /** Whether it goes alone now. */
    boolean takesTurn(Pending pending) {
      return alone.size() < (proven ? MAX_ALONE : 1) && alone.add(pending);
    }
  }

  /**
   * @param again gets those that have waited
   */
  Admission(Consumer<List<Pending>> again) {
    this.again = again;
  }

  Way admit(Pending pending) {
    Destination to;
    lock.lock();
    try {
      to =
          destinations.computeIfAbsent(pending.message().exchange(), exchange -> new Destination());
      if (to.goesWithOthers(pending)) {
        return Way.WITH_OTHERS;
      }
      if (to.alone.contains(pending)) {
        return Way.ALONE;
      }
      if (!to.takesTurn(pending)) {
        to.waiting.add(pending);
        return Way.LATER;
      }
    } finally {
      lock.unlock();
    }
    passTurnOnWhenAnswered(to, pending);
    return Way.ALONE;
  }

  private void passTurnOnWhenAnswered(Destination to, Pending pending) {
    pending.whenAnswered(() -> passTurnOn(to, pending));
  }

  private void passTurnOn(Destination to, Pending answered) {
    List<Pending> withOthers = new ArrayList<>();
    List<Pending> alone = new ArrayList<>();
    lock.lock();
    try {
      to.alone.remove(answered);
      to.proven |= answered.isJudged();
      to.waiting.removeIf(
          pending ->
              pending.answer().isDone()
                  || (to.goesWithOthers(pending) && withOthers.add(pending))
                  || (to.takesTurn(pending) && alone.add(pending)));
    } finally {
      lock.unlock();
    }
    alone.forEach(pending -> passTurnOnWhenAnswered(to, pending));
    again.accept(withOthers);
    again.accept(alone);
  }

  /** Something may be wrong with any exchange: the next message to each one goes alone. */
  void forgetProven() {
    lock.lock();
    try {
      destinations.values().forEach(destination -> destination.proven = false);
    } finally {
      lock.unlock();
    }
  }

  /** None of these comes again. */
  void withdraw(Set<Pending> some) {
    lock.lock();
    try {
      destinations.values().forEach(destination -> destination.waiting.removeAll(some));
    } finally {
      lock.unlock();
    }
  }

  /** Takes out all that wait. */
  List<Pending> drain() {
    List<Pending> drained = new ArrayList<>();
    lock.lock();
    try {
      for (Destination destination : destinations.values()) {
        drained.addAll(destination.waiting);
        destination.waiting.clear();
      }
    } finally {
      lock.unlock();
    }
    return drained;
  }
}
