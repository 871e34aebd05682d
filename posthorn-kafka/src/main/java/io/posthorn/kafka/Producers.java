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
 * The producer in use; after one that Kafka has given up, another. Made when it is first needed, so
 * that an application starts also while its broker's name cannot be resolved.
 */
final class Producers implements AutoCloseable {
  private final Supplier<Producer<String, byte[]>> factory;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Producer<String, byte[]> producer; // guarded by lock
  private boolean closed; // guarded by lock

  Producers(Supplier<Producer<String, byte[]>> factory) {
    this.factory = factory;
  }

  Producer<String, byte[]> current() {
    lock.lock();
    try {
      if (closed) {
        throw new DestinationDownException("the Kafka sender was closed", null);
      }
      Producer<String, byte[]> current = producer == null ? make() : producer;
      producer = current;
      return current;
    } finally {
      lock.unlock();
    }
  }

  private Producer<String, byte[]> make() {
    try {
      return factory.get();
    } catch (RuntimeException e) {
      throw new DestinationDownException("no Kafka producer could be made: " + e.getMessage(), e);
    }
  }

  /** Uses another one from now on. Called on a thread of the producer too, so it does not wait. */
  void giveUp(Producer<String, byte[]> failed) {
    lock.lock();
    try {
      if (producer != failed) {
        return;
      }
      producer = null;
    } finally {
      lock.unlock();
    }
    failed.close(Duration.ZERO);
  }

  @Override
  public void close() {
    Producer<String, byte[]> last;
    lock.lock();
    try {
      closed = true;
      last = producer;
      producer = null;
    } finally {
      lock.unlock();
    }
    if (last != null) {
      last.close(Duration.ZERO);
    }
  }
}
