/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import io.posthorn.AdminAction;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** An action under way, for which requests wait a while. Safe to share between threads. */
final class ActionTask extends FutureTask<AdminAction> {
  private static final int ENDED = Integer.MIN_VALUE / 2;

  private final String request;
  private final FailureListener listener;
  private final AtomicInteger waiting = new AtomicInteger(); // negative once it has ended

  /** Told of a failure, once. */
  @FunctionalInterface
  interface FailureListener {
    /**
     * @param told whether a request gets it as its answer
     */
    void failed(Throwable failure, boolean told);
  }

  /**
   * @param request tells the request that began it from others
   */
  ActionTask(String request, Callable<AdminAction> action, FailureListener listener) {
    super(action);
    this.request = request;
    this.listener = listener;
  }

  String request() {
    return request;
  }

  AdminAction await(Duration time)
      throws ExecutionException, InterruptedException, TimeoutException {
    waiting.incrementAndGet();
    try {
      return get(time.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      if (waiting.decrementAndGet() < 0) {
        return get(); // ended just now, and counts on this request to tell how
      }
      throw e;
    } catch (InterruptedException e) {
      waiting.decrementAndGet();
      throw e;
    }
  }

  @Override
  protected void setException(Throwable failure) {
    boolean told = waiting.getAndSet(ENDED) > 0;
    if (!(failure instanceof CancellationException)) {
      listener.failed(failure, told);
    }
    super.setException(failure);
  }
}
