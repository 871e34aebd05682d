/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows of the ready table as one snapshot of the database shows them, and what that snapshot says
 * of other transactions. By it the relay knows when no row that it has passed can appear any more.
 *
 * @param rows those of one partition in seq order
 * @param oldestRunning every transaction with a lower number had ended
 * @param mark null if none was asked for, or if the database does not tell of other transactions
 * @since 0.1
 */
public record ReadResult(List<StoredMessage> rows, long oldestRunning, @Nullable Mark mark) {
  public ReadResult {
    rows = List.copyOf(rows);
  }

  /**
   * Who may still bring rows with low seqs.
   *
   * @param drawn a seq: this one and all lower ones had been drawn
   * @param transaction a number: those who had drawn them have lower numbers
   * @since 0.1
   */
  public record Mark(long drawn, long transaction) {}

  /** Rows of a database that does not tell of other transactions. */
  public static ReadResult ofUnknown(List<StoredMessage> rows) {
    return new ReadResult(rows, 0, null);
  }
}
