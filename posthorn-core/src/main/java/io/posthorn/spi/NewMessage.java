/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import static java.util.Objects.requireNonNull;

/**
 * A message to be written to the ready table.
 *
 * @since 0.1
 */
public record NewMessage(int partition, Envelope envelope) {
  public NewMessage {
    requireNonNull(envelope, "envelope");
  }
}
