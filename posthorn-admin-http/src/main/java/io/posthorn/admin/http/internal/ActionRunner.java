/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import io.posthorn.ActionRun;
import io.posthorn.Admin;
import io.posthorn.AdminAction;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Carries actions out, and waits for them as long as a client is ready to wait; the longer ones go
 * on in the background, a few at once. Safe to share between threads.
 *
 * <p>When it is closed, actions under way end after their batch. They stay recorded as running:
 * asked for again with the same id, they go on where they were.
 */
final class ActionRunner implements AutoCloseable {
  private final Duration patience;
  private final ThreadPoolExecutor threads;
  private final ConcurrentHashMap<Key, FutureTask<AdminAction>> running = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /** Operators may take the same id for the same action in several outboxes. */
  private record Key(String outbox, UUID action) {}

  /**
   * @param max how many at once
   * @param patience how long a request waits for its action
   */
  ActionRunner(int max, Duration patience) {
    this.patience = patience;
    AtomicInteger number = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            0,
            max,
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> {
              Thread thread = new Thread(task, "posthorn-action-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Runs an action, unless it is running already.
   *
   * @return what became of it so far
   * @throws RequestProblem if too many are running, or it is not yet known how far it is
   */
  AdminAction run(String outbox, Admin admin, UUID id, Function<ActionRun, AdminAction> action) {
    Key key = new Key(outbox, id);
    FutureTask<AdminAction> task =
        new FutureTask<>(() -> action.apply(ActionRun.of(id).whileTrue(this::goesOn)));
    FutureTask<AdminAction> under = running.putIfAbsent(key, task);
    if (under == null) {
      under = task;
      start(key, task);
    }
    return result(admin, id, under);
  }

  private void start(Key key, FutureTask<AdminAction> task) {
    try {
      threads.execute(
          () -> {
            try {
              task.run();
            } finally {
              running.remove(key);
            }
          });
    } catch (RejectedExecutionException e) {
      running.remove(key);
      task.cancel(false);
      throw new RequestProblem(
              503,
              closed
                  ? "this process is about to end; send the request again"
                  : "%d actions are under way; send the request again when one of them has ended"
                      .formatted(threads.getMaximumPoolSize()))
          .header("Retry-After", "5");
    }
  }

  private boolean goesOn(AdminAction action) {
    if (closed) {
      throw new CancellationException("this process is about to end");
    }
    return true;
  }

  private AdminAction result(Admin admin, UUID id, FutureTask<AdminAction> task) {
    try {
      return task.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return soFar(admin, id);
    } catch (CancellationException e) { // by another request with this id, which was refused
      return soFar(admin, id);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CancellationException) {
        return soFar(admin, id);
      }
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return soFar(admin, id);
    }
  }

  private static AdminAction soFar(Admin admin, UUID id) {
    Optional<AdminAction> recorded = admin.actions().find(id);
    return recorded.orElseThrow(
        () ->
            new RequestProblem(
                    503,
                    "action %s has not begun, the database is slow; send the request again"
                        .formatted(id))
                .header("Retry-After", "5"));
  }

  @Override
  public void close() {
    closed = true;
    threads.shutdown();
  }

  /** Waits until nothing is under way; false if that took too long. */
  boolean awaitEnd(Duration timeout) {
    try {
      return threads.awaitTermination(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
