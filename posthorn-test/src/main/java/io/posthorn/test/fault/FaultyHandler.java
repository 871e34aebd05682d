/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.fault;

import static java.util.Objects.requireNonNull;

import io.posthorn.Delivery;
import io.posthorn.Handler;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A handler that fails when told to, and else passes on. Safe to share between threads.
 *
 * @param <P> what the payload is decoded to
 * @since 0.1
 */
public final class FaultyHandler<P> implements Handler<P> {
  private record Fault(Predicate<Delivery> when, Exception failure, boolean after) {}

  private final Handler<P> handler;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Fault> faults = new ArrayDeque<>(); // guarded by lock

  public FaultyHandler(Handler<P> handler) {
    this.handler = requireNonNull(handler, "handler");
  }

  /** The next delivery that fits fails before it has any effect. */
  public FaultyHandler<P> failBefore(Predicate<Delivery> when, Exception failure) {
    return plan(new Fault(when, failure, false));
  }

  /** The next delivery that fits has its effect, and then fails. */
  public FaultyHandler<P> failAfter(Predicate<Delivery> when, Exception failure) {
    return plan(new Fault(when, failure, true));
  }

  private FaultyHandler<P> plan(Fault fault) {
    lock.lock();
    try {
      faults.add(fault);
      return this;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void handle(@Nullable P payload, Delivery delivery) throws Exception {
    Fault fault = next(delivery);
    if (fault != null && !fault.after) {
      throw fault.failure;
    }
    handler.handle(payload, delivery);
    if (fault != null) {
      throw fault.failure;
    }
  }

  private @Nullable Fault next(Delivery delivery) {
    lock.lock();
    try {
      for (Fault fault : faults) {
        if (fault.when.test(delivery)) {
          faults.remove(fault);
          return fault;
        }
      }
      return null;
    } finally {
      lock.unlock();
    }
  }
}
