/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import io.posthorn.spi.Ticker;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What Kafka has said lately about each topic, which decides what a failure means. Safe to share
 * between threads.
 */
final class RecentAnswers {
  /** Names of topics may be made of values of messages. */
  private static final int MAX_TOPICS = 10_000;

  private final Ticker ticker;
  private final MissingTopics missingTopics;
  private final Map<String, AtomicLong> confirmedAt = new ConcurrentHashMap<>();
  private volatile long lastConfirmed;

  RecentAnswers(Ticker ticker) {
    this.ticker = ticker;
    this.missingTopics = new MissingTopics(ticker);
    this.lastConfirmed = ticker.nanos();
  }

  /** Whether Kafka has just said that there is no such topic. */
  boolean isMissing(String topic) {
    return missingTopics.contains(topic);
  }

  void confirmed(String topic) {
    long now = ticker.nanos();
    lastConfirmed = now;
    missingTopics.remove(topic);
    AtomicLong last = confirmedAt.get(topic);
    if (last == null) {
      if (confirmedAt.size() >= MAX_TOPICS) {
        confirmedAt.clear();
      }
      confirmedAt.put(topic, new AtomicLong(now));
    } else {
      last.set(now);
    }
  }

  private boolean confirmedSince(String topic, long time) {
    AtomicLong last = confirmedAt.get(topic);
    return last != null && last.get() - time > 0;
  }

  /**
   * A failure as a relay understands it.
   *
   * @param partition negative if the message had none yet
   * @param since when the message came
   * @param heardSince whether its producer has heard from a broker since
   */
  Exception failed(String topic, int partition, long since, boolean heardSince, Exception failure) {
    if (SendFailure.isMissingTopic(failure)) {
      missingTopics.add(topic);
    }
    boolean ofPartition = partition >= 0 && confirmedSince(topic, since);
    return SendFailure.told(
        topic,
        ofPartition ? topic + "-" + partition : topic,
        failure,
        lastConfirmed - since > 0 || heardSince);
  }
}
