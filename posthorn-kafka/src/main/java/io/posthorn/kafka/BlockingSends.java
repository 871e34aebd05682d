/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import io.posthorn.DestinationDownException;
import io.posthorn.spi.Outgoing;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes sends that may block, on threads of their own, so that they do not hold up messages to
 * other topics. The first send to a topic blocks until the producer knows its partitions, for
 * {@code max.block.ms} if there is no such topic; a send blocks as long if the producer's memory is
 * full. Remembers which topics something was confirmed for. Safe to share between threads.
 */
final class BlockingSends implements AutoCloseable {
  private static final int MAX_THREADS = 4;
  private static final int IDLE_SECONDS = 10;

  /** Names of topics may be made of values of messages. */
  private static final int MAX_PROVEN = 10_000;

  private final BiConsumer<Outgoing, CompletableFuture<Void>> sending;
  private final Map<String, AtomicLong> proven = new ConcurrentHashMap<>(); // last confirmation
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Deque<Waiting>> waiting = new HashMap<>(); // guarded by lock
  private final Executor threads;

  private record Waiting(Outgoing message, CompletableFuture<Void> answer) {}

  /**
   * @param sending hands a message to the producer, and may block
   */
  BlockingSends(BiConsumer<Outgoing, CompletableFuture<Void>> sending) {
    this(sending, newThreads());
  }

  BlockingSends(BiConsumer<Outgoing, CompletableFuture<Void>> sending, Executor threads) {
    this.sending = sending;
    this.threads = threads;
  }

  private static Executor newThreads() {
    AtomicInteger number = new AtomicInteger();
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            MAX_THREADS,
            MAX_THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "posthorn-kafka-topic-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  boolean isProven(String topic) {
    return proven.containsKey(topic);
  }

  /** Something was confirmed for this topic. */
  void confirmed(String topic, long now) {
    AtomicLong last = proven.get(topic);
    if (last == null) {
      if (proven.size() >= MAX_PROVEN) {
        proven.clear();
      }
      proven.put(topic, new AtomicLong(now));
    } else {
      last.set(now);
    }
  }

  /** Whether something was confirmed for this topic after a time. */
  boolean confirmedSince(String topic, long time) {
    AtomicLong last = proven.get(topic);
    return last != null && last.get() - time > 0;
  }

  /** It may have vanished. */
  void doubt(String topic) {
    proven.remove(topic);
  }

  /** Sends on another thread, behind the messages that wait for the same topic. */
  void send(Outgoing message, CompletableFuture<Void> answer) {
    String topic = message.destination();
    lock.lock();
    try {
      Deque<Waiting> others = waiting.get(topic);
      if (others != null) {
        others.add(new Waiting(message, answer));
        return;
      }
      waiting.put(topic, new ArrayDeque<>(Set.of(new Waiting(message, answer))));
    } finally {
      lock.unlock();
    }
    try {
      threads.execute(() -> sendAll(topic));
    } catch (Throwable e) { // no native thread: nobody else would ever look at what waits
      failAll(
          topic, DestinationDownException.of(topic, "no thread to send it: " + e.getMessage(), e));
    }
  }

  private void sendAll(String topic) {
    DestinationDownException down = null;
    for (Waiting next = next(topic); next != null; next = next(topic)) {
      if (down != null) {
        next.answer.completeExceptionally(down); // to find out again would block again
        continue;
      }
      try {
        sending.accept(next.message, next.answer);
      } catch (Throwable e) { // of this message; the loop goes on for the others
        next.answer.completeExceptionally(e);
      }
      down = downAtOnce(next.answer);
    }
  }

  private void failAll(String topic, DestinationDownException failure) {
    for (Waiting next = next(topic); next != null; next = next(topic)) {
      next.answer.completeExceptionally(failure);
    }
  }

  private @Nullable Waiting next(String topic) {
    lock.lock();
    try {
      Deque<Waiting> others = waiting.get(topic);
      Waiting next = others == null ? null : others.poll();
      if (next == null) {
        waiting.remove(topic);
      }
      return next;
    } finally {
      lock.unlock();
    }
  }

  /** What a send has failed with by the time it returns, if that concerns other messages too. */
  private static @Nullable DestinationDownException downAtOnce(CompletableFuture<Void> answer) {
    if (!answer.isCompletedExceptionally()) {
      return null;
    }
    Throwable failure = answer.handle((any, thrown) -> thrown).getNow(null);
    return failure instanceof DestinationDownException down ? down : null;
  }

  @Override
  public void close() {
    if (threads instanceof ExecutorService pool) {
      pool.shutdownNow();
    }
    lock.lock();
    try {
      waiting
          .values()
          .forEach(
              others ->
                  others.forEach(
                      one ->
                          one.answer.completeExceptionally(
                              new DestinationDownException("the Kafka sender was closed", null))));
      waiting.clear();
    } finally {
      lock.unlock();
    }
  }
}
