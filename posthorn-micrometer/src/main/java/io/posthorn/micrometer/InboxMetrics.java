/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer;

import static io.posthorn.micrometer.MeterName.INBOX_CACHE_HIT;
import static io.posthorn.micrometer.MeterName.INBOX_CACHE_MISS;
import static io.posthorn.micrometer.MeterName.INBOX_CONSUMED;
import static io.posthorn.micrometer.MeterName.INBOX_DUPLICATE;
import static io.posthorn.micrometer.MeterName.INBOX_FAILED;
import static io.posthorn.micrometer.MeterName.INBOX_PURGED;
import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.posthorn.inbox.InboxListener;

/**
 * Counts what an inbox does: pass it to {@code Inbox.builder(…).listener(…)}. Safe to share between
 * threads.
 *
 * @since 0.1
 */
public final class InboxMetrics implements InboxListener {
  private static final String CONSUMER = "consumer";

  private final Meters meters;

  /** With these tags on each meter. */
  public InboxMetrics(MeterRegistry registry, Tag... tags) {
    this.meters = new Meters(requireNonNull(registry, "registry"), Tags.of(tags));
  }

  @Override
  public void consumed(String consumer, int messages) {
    meters.count(INBOX_CONSUMED, messages, CONSUMER, consumer);
  }

  @Override
  public void duplicate(String consumer, int messages) {
    meters.count(INBOX_DUPLICATE, messages, CONSUMER, consumer);
  }

  @Override
  public void failed(String consumer, int messages) {
    meters.count(INBOX_FAILED, messages, CONSUMER, consumer);
  }

  @Override
  public void cacheHit(String consumer, int messages) {
    meters.count(INBOX_CACHE_HIT, messages, CONSUMER, consumer);
  }

  @Override
  public void cacheMiss(String consumer, int messages) {
    meters.count(INBOX_CACHE_MISS, messages, CONSUMER, consumer);
  }

  @Override
  public void purged(int rows) {
    meters.count(INBOX_PURGED, rows);
  }
}
