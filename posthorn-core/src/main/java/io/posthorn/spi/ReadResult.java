/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import java.util.List;

/**
 * Rows of the ready table as one snapshot of the database shows them, and what that snapshot says
 * of other transactions. By it the relay knows when no row that it has passed can appear any more.
 *
 * @param rows those of one partition in seq order
 * @param oldestRunning every transaction with a lower number had ended
 * @param nextTransaction no transaction with this or a higher number had begun to write
 * @since 0.1
 */
public record ReadResult(List<StoredMessage> rows, long oldestRunning, long nextTransaction) {
  public ReadResult {
    rows = List.copyOf(rows);
  }

  /** Rows of a database that does not tell of other transactions. */
  public static ReadResult ofUnknown(List<StoredMessage> rows) {
    return new ReadResult(rows, 0, Long.MAX_VALUE);
  }
}
