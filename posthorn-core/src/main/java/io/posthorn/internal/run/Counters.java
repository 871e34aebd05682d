/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.run;

import io.posthorn.Delivery;
import io.posthorn.RelayStatus;
import io.posthorn.spi.Fate;
import io.posthorn.spi.RelayListener;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Totals for the status. */
final class Counters implements RelayListener {
  private final LongAdder delivered = new LongAdder();
  private final LongAdder retried = new LongAdder();
  private final LongAdder dead = new LongAdder();
  private final LongAdder expired = new LongAdder();
  private final LongAdder ignored = new LongAdder();
  private final LongAdder settled = new LongAdder();

  @Override
  public void delivered(Delivery delivery) {
    delivered.increment();
  }

  @Override
  public void retrying(Delivery delivery, @Nullable Throwable cause, Duration delay) {
    retried.increment();
  }

  @Override
  public void dead(StoredMessage message, String handler, Fate.Dead fate) {
    dead.increment();
  }

  @Override
  public void expired(StoredMessage message) {
    expired.increment();
  }

  @Override
  public void ignored(Delivery delivery) {
    ignored.increment();
  }

  @Override
  public void settled(int outcomes) {
    settled.add(outcomes);
  }

  /** What was counted so far. */
  RelayStatus.Counts counts() {
    return new RelayStatus.Counts(
        delivered.sum(), retried.sum(), dead.sum(), expired.sum(), ignored.sum(), settled.sum());
  }
}
