/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import io.posthorn.DestinationDownException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;

/**
 * A producer; after one that Kafka has given up, another. Made when it is first needed, so that an
 * application starts also while its broker's name cannot be resolved. Safe to share between
 * threads.
 */
final class ReplaceableProducer implements AutoCloseable {
  private final Supplier<Producer<String, byte[]>> factory;
  private final ReentrantLock lock = new ReentrantLock(); // for making one
  private final AtomicReference<@Nullable ProducerInUse> inUse = new AtomicReference<>();
  private volatile boolean closed;

  ReplaceableProducer(Supplier<Producer<String, byte[]>> factory) {
    this.factory = factory;
  }

  /** Null if none was made yet, or the last one was given up. Does not block. */
  @Nullable ProducerInUse made() {
    return inUse.get();
  }

  /**
   * Makes one if there is none, which may block while the name of a broker is looked up.
   *
   * @throws DestinationDownException if none can be made, or it was closed
   */
  ProducerInUse current() {
    lock.lock();
    try {
      checkOpen();
      ProducerInUse current = inUse.get();
      if (current == null) {
        current = make();
        inUse.set(current);
      }
      if (closed) { // meanwhile
        giveUp(current);
      }
      checkOpen();
      return current;
    } finally {
      lock.unlock();
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new DestinationDownException("the Kafka sender was closed", null);
    }
  }

  private ProducerInUse make() {
    try {
      return new ProducerInUse(factory.get());
    } catch (RuntimeException | Error e) { // of the user's factory, or no native thread
      throw new DestinationDownException("no Kafka producer could be made: " + e.getMessage(), e);
    }
  }

  /** Uses another one from now on. Called on a thread of the producer too, so it does not wait. */
  void giveUp(ProducerInUse failed) {
    if (inUse.compareAndSet(failed, null)) {
      failed.producer().close(Duration.ZERO);
    }
  }

  @Override
  public void close() {
    closed = true; // before, so that one that is being made is closed by its maker
    ProducerInUse last = inUse.get();
    if (last != null) {
      giveUp(last);
    }
  }
}
