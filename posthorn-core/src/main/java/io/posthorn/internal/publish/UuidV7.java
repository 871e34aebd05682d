/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.publish;

import io.posthorn.spi.IdGenerator;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * UUIDs of version 7: they grow with time, and within one process strictly, which keeps indexes on
 * them small. The twelve bits behind the millisecond count on where a millisecond holds more than
 * one id.
 */
final class UuidV7 implements IdGenerator {
  private static final int COUNTER_BITS = 12;

  private final Clock clock;
  private final AtomicLong last = new AtomicLong();
  private final long salt = new SecureRandom().nextLong();

  UuidV7(Clock clock) {
    this.clock = clock;
  }

  @Override
  public UUID next() {
    long now = clock.millis() << COUNTER_BITS;
    long tick = last.updateAndGet(previous -> Math.max(previous + 1, now));
    long high = (tick >>> COUNTER_BITS) << 16 | 0x7000 | (tick & 0xFFF);
    long random = ThreadLocalRandom.current().nextLong() ^ salt;
    long low = (random & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
    return new UUID(high, low);
  }
}
