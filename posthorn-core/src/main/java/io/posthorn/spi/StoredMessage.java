/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of the ready table.
 *
 * @param seq the order within the key, drawn by the database
 * @param createdAt on the database's clock
 * @param expiresIn how long until it expires, on the database's clock when it was read; zero or
 *     less: it has expired; null: it never does
 * @param place by which the store may find the row sooner than by its key; null if there is none.
 *     The row may have moved since, and another one may be there
 * @since 0.1
 */
public record StoredMessage(
    int partition,
    long seq,
    Envelope envelope,
    Instant createdAt,
    @Nullable Duration expiresIn,
    @Nullable String place) {
  public StoredMessage {
    requireNonNull(envelope, "envelope");
    requireNonNull(createdAt, "createdAt");
  }

  /** One that is found by its key only. */
  public StoredMessage(
      int partition, long seq, Envelope envelope, Instant createdAt, @Nullable Duration expiresIn) {
    this(partition, seq, envelope, createdAt, expiresIn, null);
  }

  /** Whether it had expired when it was read. */
  public boolean expired() {
    return expiredAfter(Duration.ZERO);
  }

  /** Whether it has expired some time after it was read. */
  public boolean expiredAfter(Duration time) {
    return expiresIn != null && expiresIn.compareTo(time) <= 0;
  }
}
