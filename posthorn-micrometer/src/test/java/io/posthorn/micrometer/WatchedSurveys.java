/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer;

import io.posthorn.spi.AdminStore;
import io.posthorn.spi.MessageStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Counts the surveys that are taken of a store, and holds them up or lets them fail. */
final class WatchedSurveys {
  private final MessageStore store;
  private final AtomicInteger begun = new AtomicInteger();
  private final Semaphore ended = new Semaphore(0);
  private final Semaphore hanging = new Semaphore(0);
  private volatile boolean hold;
  private volatile @Nullable RuntimeException failure;

  WatchedSurveys(MessageStore store) {
    this.store = store;
  }

  MessageStore store() {
    return proxy(MessageStore.class, store);
  }

  int begun() {
    return begun.get();
  }

  /** From now on surveys fail, or no longer if it is null. */
  void failWith(@Nullable RuntimeException e) {
    failure = e;
  }

  /** From now on surveys do not come back. */
  void hold() {
    hold = true;
  }

  void release() {
    hold = false;
    hanging.release(1_000);
  }

  /** Waits for the ends of so many surveys that were not waited for yet. */
  boolean awaitEnds(int count) throws InterruptedException {
    return ended.tryAcquire(count, 20, TimeUnit.SECONDS);
  }

  private Object survey(Survey survey) throws Throwable {
    begun.incrementAndGet();
    try {
      if (hold) {
        hanging.acquire();
      }
      RuntimeException e = failure;
      if (e != null) {
        throw e;
      }
      return survey.take();
    } finally {
      ended.release();
    }
  }

  private interface Survey {
    Object take() throws Throwable;
  }

  private <T> T proxy(Class<T> type, T target) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (any, method, arguments) -> {
              Survey call =
                  () -> {
                    try {
                      return method.invoke(target, arguments);
                    } catch (InvocationTargetException e) {
                      throw e.getCause();
                    }
                  };
              Object result =
                  method.getName().equals("survey") && target instanceof AdminStore
                      ? survey(call)
                      : call.take();
              return result instanceof AdminStore admin ? proxy(AdminStore.class, admin) : result;
            });
    return type.cast(proxy);
  }
}
