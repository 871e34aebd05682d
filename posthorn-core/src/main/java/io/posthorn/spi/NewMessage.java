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
 * A message to be written to the ready table, or, if it is delayed, to the deferred table.
 *
 * @param delay null: it is ready
 * @since 0.1
 */
public record NewMessage(int partition, Envelope envelope, @Nullable Delay delay) {
  public NewMessage {
    requireNonNull(envelope, "envelope");
  }

  /** One that is ready. */
  public NewMessage(int partition, Envelope envelope) {
    this(partition, envelope, null);
  }

  /** When a delayed message is due, on the database's clock. */
  public sealed interface Delay {
    /** Some time after it is written. */
    record After(Duration time) implements Delay {
      public After {
        requireNonNull(time, "time");
      }
    }

    /** At an instant. */
    record Until(Instant time) implements Delay {
      public Until {
        requireNonNull(time, "time");
      }
    }
  }
}
