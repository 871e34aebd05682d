/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import io.posthorn.ActionRun;
import io.posthorn.Admin;
import io.posthorn.AdminAction;
import io.posthorn.spi.LoggerSource;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * Carries actions out, and waits for them as long as a client is ready to wait; the longer ones go
 * on in the background, a few at once. Safe to share between threads.
 *
 * <p>When it is closed, actions under way end after their batch. They stay recorded as running:
 * asked for again with the same id, they go on where they were.
 */
final class ActionRunner implements AutoCloseable {
  private static final System.Logger LOG = LoggerSource.of(ActionRunner.class.getName());

  private final Duration patience;
  private final ThreadPoolExecutor threads;
  private final ConcurrentHashMap<Key, ActionTask> running = new ConcurrentHashMap<>();
  private final RecentKeys standing = new RecentKeys();
  private volatile boolean closed;

  /** Operators may take the same id for the same action in several outboxes. */
  record Key(String outbox, UUID action) {}

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
   * @param request tells this request from others with the same id
   * @return what became of it so far
   * @throws RequestProblem if too many are running, it is not yet known how far it is, or the id is
   *     that of another request's action
   */
  AdminAction run(Key key, String request, Admin admin, Function<ActionRun, AdminAction> action) {
    ActionTask task =
        new ActionTask(
            request,
            () -> action.apply(ActionRun.of(key.action).whileTrue(this::goesOn)),
            (failure, told) -> failed(key, failure, told));
    ActionTask under = running.putIfAbsent(key, task);
    if (under == null) {
      under = task;
      start(key, task);
    } else if (!under.request().equals(request)) {
      throw new RequestProblem(
          409, "action %s is under way with another body; take another id".formatted(key.action));
    }
    return result(admin, key.action, under);
  }

  private void start(Key key, ActionTask task) {
    standing.remove(key);
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

  /**
   * @param told whether a request gets this failure as its answer
   */
  private void failed(Key key, Throwable failure, boolean told) {
    boolean refused =
        failure instanceof RequestProblem || failure instanceof IllegalArgumentException;
    if (!refused) {
      standing.add(key);
    }
    if (!told) {
      LOG.log(
          Level.WARNING,
          "Action {0} failed and stands still; send the same request again to go on: {1}",
          key.action,
          FailureTrace.of(failure));
    }
  }

  /** Whether the action failed in this process, and nothing has carried it on here since. */
  boolean standsStill(Key key) {
    return standing.contains(key);
  }

  private boolean goesOn(AdminAction action) {
    if (closed) {
      throw new CancellationException("this process is about to end");
    }
    return true;
  }

  private AdminAction result(Admin admin, UUID id, ActionTask task) {
    try {
      return task.await(patience);
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

  /** The keys that were added last, so many that no operator looks for one that is gone. */
  private static final class RecentKeys {
    private static final int MAX_KEYS = 1_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final LinkedHashSet<Key> keys = new LinkedHashSet<>(); // guarded by lock

    void add(Key key) {
      lock.lock();
      try {
        keys.add(key);
        if (keys.size() > MAX_KEYS) {
          keys.remove(keys.iterator().next());
        }
      } finally {
        lock.unlock();
      }
    }

    void remove(Key key) {
      lock.lock();
      try {
        keys.remove(key);
      } finally {
        lock.unlock();
      }
    }

    boolean contains(Key key) {
      lock.lock();
      try {
        return keys.contains(key);
      } finally {
        lock.unlock();
      }
    }
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
