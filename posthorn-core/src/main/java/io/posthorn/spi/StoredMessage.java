/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/**
 * A row of the ready table.
 *
 * @param seq the order within the key, drawn by the database
 * @param createdAt on the database's clock
 * @param expired whether its expiry had passed on the database's clock when it was read
 * @since 0.1
 */
public record StoredMessage(
    int partition, long seq, Envelope envelope, Instant createdAt, boolean expired) {
  public StoredMessage {
    requireNonNull(envelope, "envelope");
    requireNonNull(createdAt, "createdAt");
  }
}
