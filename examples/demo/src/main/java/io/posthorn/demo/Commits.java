/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/**
 * The truth that the deliveries are held against: what the order service committed, kept in its
 * memory. Safe to share between threads.
 */
final class Commits {
  private final Queue<Published> committed = new ConcurrentLinkedQueue<>();
  private final LongAdder count = new LongAdder();
  private final LongAdder rolledBack = new LongAdder();
  private final LongAdder rolledBackToSavepoint = new LongAdder();

  void committed(List<Published> messages) {
    committed.addAll(messages);
    count.add(messages.size());
  }

  void rolledBack(int messages) {
    rolledBack.add(messages);
  }

  void rolledBackToSavepoint(int messages) {
    rolledBackToSavepoint.add(messages);
  }

  long count() {
    return count.sum();
  }

  /** Messages whose whole transaction was rolled back. */
  long rolledBack() {
    return rolledBack.sum();
  }

  /** Messages whose transaction went on without them. */
  long rolledBackToSavepoint() {
    return rolledBackToSavepoint.sum();
  }

  List<Published> messages() {
    return List.copyOf(committed);
  }
}
