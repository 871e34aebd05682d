/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.HandlerSpec;

/**
 * Lets a handler begin a number of deliveries within a time. They are spread: at most a tenth of
 * the number at once. Guarded by the memory's lock.
 */
final class RateGate {
  private final double perNano;
  private final double most;
  private double allowed;
  private long countedAt;

  RateGate(HandlerSpec.RateLimit limit, long now) {
    this.perNano = (double) limit.deliveries() / limit.per().toNanos();
    this.most = Math.max(1, limit.deliveries() / 10.0);
    this.allowed = most;
    this.countedAt = now;
  }

  /** How many deliveries may begin now. */
  int allowed(long now) {
    allowed = Math.min(most, allowed + (now - countedAt) * perNano);
    countedAt = now;
    return (int) allowed;
  }

  void taken(int deliveries) {
    allowed -= deliveries;
  }

  /** They were not begun after all. */
  void givenBack(int deliveries) {
    allowed += deliveries;
  }

  /** How long until one may begin. */
  long nanosUntilNext(long now) {
    return allowed(now) >= 1 ? 0 : (long) Math.ceil((1 - allowed) / perNano);
  }
}
