/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import io.posthorn.DestinationDownException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * A producer for each topic. A broker answers the requests of a connection in turn, and a request
 * that waits for a replica holds up all that are behind it, so topics must not share a connection.
 * With more topics than producers, topics share them evenly. Safe to share between threads.
 */
final class TopicProducers implements AutoCloseable {
  static final int MAX_PRODUCERS = 16;

  /** Names of topics may be made of values of messages. */
  private static final int MAX_TOPICS = 10_000;

  private final Map<String, Object> settings;
  private final Function<Map<String, Object>, Producer<String, byte[]>> factory;
  private final Map<String, ReplaceableProducer> byTopic = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final List<ReplaceableProducer> producers = new ArrayList<>(); // guarded by lock
  private int next; // guarded by lock
  private volatile boolean closed;

  TopicProducers(
      Map<String, Object> settings,
      Function<Map<String, Object>, Producer<String, byte[]>> factory) {
    this.settings = settings;
    this.factory = factory;
  }

  /**
   * @throws DestinationDownException if this was closed
   */
  void checkOpen() {
    if (closed) {
      throw new DestinationDownException("the Kafka sender was closed", null);
    }
  }

  /**
   * The producer for a topic.
   *
   * @throws DestinationDownException if this was closed
   */
  ReplaceableProducer of(String topic) {
    ReplaceableProducer known = byTopic.get(topic);
    return known == null ? assign(topic) : known;
  }

  private ReplaceableProducer assign(String topic) {
    lock.lock();
    try {
      checkOpen();
      ReplaceableProducer known = byTopic.get(topic);
      if (known != null) {
        return known;
      }
      if (byTopic.size() >= MAX_TOPICS) {
        byTopic.clear(); // of each key one message is in flight, so another producer does no harm
      }
      if (producers.size() < MAX_PRODUCERS) {
        Map<String, Object> own = settings(producers.size());
        producers.add(new ReplaceableProducer(() -> factory.apply(own)));
      }
      ReplaceableProducer assigned = producers.get(next % producers.size());
      next++;
      byTopic.put(topic, assigned);
      return assigned;
    } finally {
      lock.unlock();
    }
  }

  /** Producers register their metrics by their client id, so those after the first have another. */
  private Map<String, Object> settings(int number) {
    Map<String, Object> own = new HashMap<>(settings);
    if (number > 0) {
      own.computeIfPresent(ProducerConfig.CLIENT_ID_CONFIG, (name, id) -> id + "-" + (number + 1));
    }
    return own;
  }

  @Override
  public void close() {
    List<ReplaceableProducer> all;
    lock.lock();
    try {
      closed = true;
      all = List.copyOf(producers);
    } finally {
      lock.unlock();
    }
    RuntimeException first = null;
    for (ReplaceableProducer producer : all) {
      try {
        producer.close();
      } catch (RuntimeException e) { // the others are closed all the same
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }
}
