/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.posthorn.DestinationDownException;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Messages that their producer cannot take at once: it has to be made first, does not know the
 * topic's partitions, or has no memory left. Those of one producer are tried again in turn, on a
 * thread that ends when none is left, until {@code max.block.ms} is over. Nothing blocks that
 * thread but the making of its producer, so no topic waits for another. Safe to share between
 * threads.
 */
final class WaitingSends implements AutoCloseable {
  private static final long PAUSE_NANOS = MILLISECONDS.toNanos(20);
  private static final int IDLE_SECONDS = 10;

  private final Duration maxWait;
  private final Ticker ticker;
  private final ExecutorService threads;
  private final Map<ReplaceableProducer, Line> lines = new ConcurrentHashMap<>();

  /**
   * @param maxWait how long a message may wait before it is handed over
   * @param threads runs one task for each producer at the most
   */
  WaitingSends(Duration maxWait, Ticker ticker, ExecutorService threads) {
    this.maxWait = maxWait;
    this.ticker = ticker;
    this.threads = threads;
  }

  static ExecutorService newThreads() {
    AtomicInteger number = new AtomicInteger();
    return new ThreadPoolExecutor(
        0,
        Integer.MAX_VALUE,
        IDLE_SECONDS,
        SECONDS,
        new SynchronousQueue<>(),
        task -> {
          Thread thread = new Thread(task, "posthorn-kafka-waiting-" + number.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Hands it over at once or, if that is not possible, behind those that wait for its topic. */
  void send(PendingSend send) {
    Line known = lines.get(send.producer());
    Line line = known == null ? lines.computeIfAbsent(send.producer(), Line::new) : known;
    ProducerInUse made = send.producer().made();
    if (made == null || line.waiting.containsKey(send.topic()) || !send.handTo(made)) {
      line.add(send);
    }
  }

  /** Called when the producers were closed, so that those that wait fail with the next attempt. */
  @Override
  public void close() {
    threads.shutdownNow();
    DestinationDownException failure =
        new DestinationDownException("the Kafka sender was closed", null);
    lines.values().forEach(line -> line.failAll(failure));
  }

  /** The messages that wait for one producer. */
  private final class Line {
    private final ReplaceableProducer producer;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Deque<PendingSend>> waiting =
        new ConcurrentHashMap<>(); // changed with the lock
    private boolean served; // guarded by lock

    Line(ReplaceableProducer producer) {
      this.producer = producer;
    }

    void add(PendingSend send) {
      boolean unserved;
      lock.lock();
      try {
        waiting.computeIfAbsent(send.topic(), any -> new ArrayDeque<>()).addLast(send);
        unserved = !served;
        served = true;
      } finally {
        lock.unlock();
      }
      if (unserved) {
        startServing();
      }
    }

    private void startServing() {
      try {
        threads.execute(this::serve);
      } catch (Throwable e) { // closed, or no native thread: nobody would look at what waits
        stopServing();
        for (String topic : waiting.keySet()) {
          failTopic(
              topic,
              DestinationDownException.of(topic, "no thread to send it: " + e.getMessage(), e));
        }
      }
    }

    private void serve() {
      tryAll();
      while (hasMore()) {
        Thread.interrupted(); // by the closing of the sender, which the next attempt finds out
        LockSupport.parkNanos(this, PAUSE_NANOS);
        tryAll();
      }
    }

    private void tryAll() {
      try {
        ProducerInUse made = producer.current();
        waiting.keySet().forEach(topic -> tryTopic(topic, made));
      } catch (Throwable e) { // nobody else would look at those that wait
        failAll(e);
      }
    }

    private void tryTopic(String topic, ProducerInUse made) {
      for (PendingSend next = next(topic); next != null; next = next(topic)) {
        if (ticker.nanos() - next.since() >= maxWait.toNanos()) {
          expire(next, made);
          return;
        }
        if (!tryOne(next, made)) {
          putBack(next);
          return;
        }
        next.down().ifPresent(down -> failTopic(topic, down));
      }
    }

    /** Those behind it fail too: they wait for the same. Those that come from now on do not. */
    private void expire(PendingSend first, ProducerInUse made) {
      Collection<PendingSend> others = take(first.topic());
      Throwable failure;
      try {
        failure = first.expire(made, maxWait);
      } catch (Throwable e) { // nobody else would answer them
        first.fail(e);
        failure = e;
      }
      for (PendingSend other : others) {
        other.fail(failure);
      }
    }

    private boolean tryOne(PendingSend send, ProducerInUse made) {
      try {
        return send.retry(made);
      } catch (Throwable e) { // of this message; the loop goes on for the others
        send.fail(e);
        return true;
      }
    }

    private @Nullable PendingSend next(String topic) {
      lock.lock();
      try {
        Deque<PendingSend> others = waiting.get(topic);
        PendingSend next = others == null ? null : others.poll();
        if (next == null) {
          waiting.remove(topic);
        }
        return next;
      } finally {
        lock.unlock();
      }
    }

    private void putBack(PendingSend send) {
      lock.lock();
      try {
        waiting.computeIfAbsent(send.topic(), any -> new ArrayDeque<>()).addFirst(send);
      } finally {
        lock.unlock();
      }
    }

    /** Whether something has to be tried again. If not, the caller has to leave. */
    private boolean hasMore() {
      lock.lock();
      try {
        served = !waiting.isEmpty();
        return served;
      } finally {
        lock.unlock();
      }
    }

    private void stopServing() {
      lock.lock();
      try {
        served = false;
      } finally {
        lock.unlock();
      }
    }

    private void failAll(Throwable failure) {
      waiting.keySet().forEach(topic -> failTopic(topic, failure));
    }

    private void failTopic(String topic, Throwable failure) {
      take(topic).forEach(one -> one.fail(failure));
    }

    private Collection<PendingSend> take(String topic) {
      lock.lock();
      try {
        Deque<PendingSend> all = waiting.remove(topic);
        return all == null ? List.of() : all;
      } finally {
        lock.unlock();
      }
    }
  }
}
