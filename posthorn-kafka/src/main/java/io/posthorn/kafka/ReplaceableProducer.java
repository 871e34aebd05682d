/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import io.posthorn.DestinationDownException;
import java.time.Duration;
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
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable ProducerInUse inUse; // guarded by lock
  private boolean closed; // guarded by lock

  ReplaceableProducer(Supplier<Producer<String, byte[]>> factory) {
    this.factory = factory;
  }

  /**
   * @throws DestinationDownException if none can be made, or it was closed
   */
  ProducerInUse current() {
    lock.lock();
    try {
      if (closed) {
        throw new DestinationDownException("the Kafka sender was closed", null);
      }
      ProducerInUse current = inUse == null ? make() : inUse;
      inUse = current;
      return current;
    } finally {
      lock.unlock();
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
    lock.lock();
    try {
      if (inUse != failed) {
        return;
      }
      inUse = null;
    } finally {
      lock.unlock();
    }
    failed.producer().close(Duration.ZERO);
  }

  @Override
  public void close() {
    ProducerInUse last;
    lock.lock();
    try {
      closed = true;
      last = inUse;
      inUse = null;
    } finally {
      lock.unlock();
    }
    if (last != null) {
      last.producer().close(Duration.ZERO);
    }
  }
}
