/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.run;

import io.posthorn.Delivery;
import io.posthorn.RelayStatus.Counts;
import io.posthorn.spi.Fate;
import io.posthorn.spi.RelayListener;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Totals for the status. */
public final class Counters implements RelayListener {
  private final LongAdder published;
  private final LongAdder retried = new LongAdder();
  private final LongAdder dead = new LongAdder();
  private final LongAdder expired = new LongAdder();
  private final LongAdder ignored = new LongAdder();
  private final LongAdder settled = new LongAdder();
  private final Map<String, Deliveries> byHandler; // never changed

  /** Deliveries of one handler. */
  private static final class Deliveries {
    private final LongAdder delivered = new LongAdder();
    private final LongAdder failed = new LongAdder();
  }

  /**
   * @param published counts what this process publishes
   */
  public Counters(LongAdder published, Collection<String> handlers) {
    this.published = published;
    Map<String, Deliveries> deliveries = new HashMap<>();
    handlers.forEach(handler -> deliveries.put(handler, new Deliveries()));
    this.byHandler = deliveries;
  }

  @Override
  public void delivered(Delivery delivery) {
    Deliveries handler = byHandler.get(delivery.handler());
    if (handler != null) {
      handler.delivered.increment();
    }
  }

  @Override
  public void failed(Delivery delivery, Throwable cause) {
    Deliveries handler = byHandler.get(delivery.handler());
    if (handler != null) {
      handler.failed.increment();
    }
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
  public Counts counts() {
    return new Counts(
        published.sum(),
        byHandler.values().stream().mapToLong(handler -> handler.delivered.sum()).sum(),
        retried.sum(),
        dead.sum(),
        expired.sum(),
        ignored.sum(),
        settled.sum());
  }

  /** Successful deliveries of one handler. */
  public long delivered(String handler) {
    Deliveries deliveries = byHandler.get(handler);
    return deliveries == null ? 0 : deliveries.delivered.sum();
  }

  /** Failed deliveries of one handler. */
  public long failed(String handler) {
    Deliveries deliveries = byHandler.get(handler);
    return deliveries == null ? 0 : deliveries.failed.sum();
  }
}
