/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import static java.lang.System.Logger.Level.WARNING;
import static java.util.stream.Collectors.toSet;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.posthorn.DestinationDownException;
import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Connects and publishes on a thread of its own, since both may block: a broker that is short of
 * memory reads nothing. A second thread looks for messages that have waited too long. Both start
 * with the first message.
 */
final class Publisher implements AutoCloseable {
  private static final System.Logger LOG = LoggerSource.of(Publisher.class.getName());

  /** After a failure to connect, none is tried for this time. */
  private static final Duration PAUSE = Duration.ofMillis(500);

  private static final Duration LONGEST_CHECK_INTERVAL = Duration.ofSeconds(1);
  private static final int CHECKS_PER_TIMEOUT = 20;
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

  private final Callable<Connection> connections;
  private final Duration timeout;
  private final Ticker ticker;
  private final BlockingQueue<Pending> queue = new LinkedBlockingQueue<>();
  private final Set<Pending> unanswered = ConcurrentHashMap.newKeySet();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final ReentrantLock starting = new ReentrantLock();
  private boolean watched; // guarded by starting
  private volatile @Nullable Thread thread; // written under the lock starting
  private volatile @Nullable Link link; // written by the publishing thread

  // publishing thread only
  private @Nullable DestinationDownException unreachable;
  private long unreachableSince;

  Publisher(Callable<Connection> connections, Duration timeout, Ticker ticker) {
    this.connections = connections;
    this.timeout = timeout;
    this.ticker = ticker;
  }

  CompletionStage<?> send(AmqpMessage message) {
    Pending pending = new Pending(message, ticker.nanos());
    Link current = link;
    String blocked = current == null ? null : current.blocked();
    if (blocked != null) {
      pending.fail(
          new DestinationDownException("RabbitMQ takes no messages at present: " + blocked, null));
      return pending.answer();
    }
    start();
    unanswered.add(pending);
    CompletionStage<?> answer =
        pending.answer().whenComplete((any, failure) -> unanswered.remove(pending));
    queue.add(pending);
    if (closed()) {
      pending.fail(closedDown());
    }
    return answer;
  }

  private boolean closed() {
    return closing.getCount() == 0;
  }

  private static DestinationDownException closedDown() {
    return new DestinationDownException("the RabbitMQ sender was closed", null);
  }

  /** Throws if a thread cannot be had, and goes on from there the next time. */
  private void start() {
    if (thread != null) {
      return;
    }
    starting.lock();
    try {
      if (thread == null && !closed()) {
        if (!watched) {
          Threads.start("posthorn-rabbitmq-timeout", this::watch);
          watched = true;
        }
        thread = Threads.start("posthorn-rabbitmq-publish", this::publishAll);
      }
    } finally {
      starting.unlock();
    }
  }

  // --- the publishing thread

  private void publishAll() {
    try {
      while (!closed()) {
        Pending next = queue.take();
        if (!next.answer().isDone()) {
          publishGuarded(next);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  /** Whatever is thrown for one message, the thread is there for the next one. */
  private void publishGuarded(Pending pending) {
    try {
      publish(pending);
    } catch (RuntimeException | Error e) {
      pending.fail(SendFailure.clientFailed(pending.message(), e));
    }
  }

  private void publish(Pending pending) {
    Link current;
    try {
      current = connected();
    } catch (DestinationDownException e) {
      pending.fail(e);
      return;
    }
    try {
      current.publish(pending);
    } catch (IOException | ShutdownSignalException e) {
      lost(current, pending, e);
    } catch (RuntimeException | Error e) {
      lost(current, pending, new IOException("the client failed", e));
      pending.fail(SendFailure.clientFailed(pending.message(), e));
    }
  }

  private static void lost(Link link, Pending pending, Exception cause) {
    DestinationDownException down = SendFailure.down(cause);
    link.giveUp(down);
    pending.fail(down);
  }

  private Link connected() {
    Link current = link;
    if (current != null && current.isOpen()) {
      return current;
    }
    if (current != null) {
      link = null;
      current.giveUp(SendFailure.down(null)); // it may be recovering by itself
    }
    DestinationDownException failure = unreachable;
    if (failure != null && ticker.nanos() - unreachableSince < PAUSE.toNanos()) {
      throw failure;
    }
    try {
      Link opened = Link.over(connections.call(), this::suspect, queue::addAll, ticker);
      link = opened;
      unreachable = null;
      if (closed()) {
        opened.giveUp(closedDown());
      }
      return opened;
    } catch (Exception | Error e) { // where it comes from may be the user's code
      unreachable = SendFailure.down(e);
      unreachableSince = ticker.nanos();
      throw unreachable;
    }
  }

  private void suspect(List<Pending> suspects) {
    suspects.forEach(Pending::becomeSuspect);
    queue.addAll(suspects);
  }

  // --- the thread that looks for what has waited too long

  private void watch() {
    long interval =
        Math.min(timeout.toNanos() / CHECKS_PER_TIMEOUT, LONGEST_CHECK_INTERVAL.toNanos());
    try {
      while (!closing.await(interval, TimeUnit.NANOSECONDS)) {
        expireGuarded(timeout.toNanos() - interval);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void expireGuarded(long limit) {
    try {
      expire(limit);
    } catch (RuntimeException | Error e) {
      LOG.log(WARNING, "looking for messages without an answer failed; it is tried again", e);
    }
  }

  /**
   * A connection on which nothing at all was answered since a message was sent is of no use to the
   * others either. If others were answered, it is a matter of the exchange.
   */
  private void expire(long limit) {
    long now = ticker.nanos();
    Set<Pending> late =
        unanswered.stream().filter(pending -> pending.olderThan(limit, now)).collect(toSet());
    if (late.isEmpty()) {
      return;
    }
    Link silent = link;
    String blocked = silent == null ? null : silent.blocked();
    if (silent != null
        && blocked == null
        && late.stream().allMatch(pending -> pending.before(silent.lastAnswer()))) {
      silent.noAnswer(late, timeout);
      return;
    }
    DestinationDownException down =
        new DestinationDownException(
            "no answer from RabbitMQ within %d ms%s"
                .formatted(
                    timeout.toMillis(),
                    blocked == null ? "" : ", as it takes no messages at present: " + blocked),
            null);
    if (silent != null) {
      silent.giveUp(down);
    }
    late.forEach(pending -> pending.fail(down));
  }

  @Override
  public void close() {
    closing.countDown();
    DestinationDownException down = closedDown();
    Link last = link;
    Thread closer = last == null ? null : last.giveUp(down);
    unanswered.forEach(pending -> pending.fail(down));
    join(closer);
    Thread publishing = thread;
    if (publishing != null) {
      publishing.interrupt();
    }
    join(publishing);
  }

  private static void join(@Nullable Thread thread) {
    if (thread == null) {
      return;
    }
    try {
      thread.join(CLOSE_LIMIT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
