/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** Counts what a listener is told. */
final class Counts implements InboxListener {
  private final Map<String, Integer> counts = new ConcurrentSkipListMap<>();

  private void count(String event, int messages) {
    counts.merge(event, messages, Integer::sum);
  }

  @Override
  public void consumed(String consumer, int messages) {
    count("consumed by " + consumer, messages);
  }

  @Override
  public void duplicate(String consumer, int messages) {
    count("duplicate for " + consumer, messages);
  }

  @Override
  public void failed(String consumer, int messages) {
    count("failed by " + consumer, messages);
  }

  @Override
  public void cacheHit(String consumer, int messages) {
    count("hit for " + consumer, messages);
  }

  @Override
  public void cacheMiss(String consumer, int messages) {
    count("miss for " + consumer, messages);
  }

  @Override
  public void purged(int rows) {
    count("purged", rows);
  }

  Map<String, Integer> all() {
    return new TreeMap<>(counts);
  }
}
