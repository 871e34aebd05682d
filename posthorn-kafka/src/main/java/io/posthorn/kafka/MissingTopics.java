/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Topics that were not there a moment ago. To find that out again takes {@code max.block.ms}. Safe
 * to share between threads.
 */
final class MissingTopics {
  static final Duration REMEMBERED = Duration.ofSeconds(5);

  /** Names of topics may be made of values of messages. */
  private static final int MOST = 1_000;

  private final Ticker ticker;
  private final Map<String, Long> missedAt = new ConcurrentHashMap<>();

  MissingTopics(Ticker ticker) {
    this.ticker = ticker;
  }

  /** Whether it is not worth a look. Once in a while one who asks is told to look. */
  boolean contains(String topic) {
    Long since = missedAt.get(topic);
    if (since == null) {
      return false;
    }
    long now = ticker.nanos();
    return now - since < REMEMBERED.toNanos() || !missedAt.replace(topic, since, now);
  }

  void add(String topic) {
    if (missedAt.size() >= MOST) {
      missedAt.clear();
    }
    missedAt.put(topic, ticker.nanos());
  }

  void remove(String topic) {
    if (!missedAt.isEmpty()) {
      missedAt.remove(topic);
    }
  }
}
