/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rows of the ready table as one snapshot of the database shows them, and what is known of other
 * transactions at that moment. By it the relay knows when no row that it has passed can appear any
 * more.
 *
 * @param rows those of one partition in seq order
 * @param laneHeads for each row and each handler that was asked for the lowest seq of the deferred
 *     rows of its key, or {@link #NO_HEAD}; empty if no handler was asked for
 * @param cut whether it ended at the most rows or bytes, so that slices behind the last row were
 *     not read
 * @param server the server that was read from
 * @param oldestRunning every transaction with a lower number had ended
 * @param mark null if the database does not tell of other transactions
 * @param publishers those who may still commit a row with a seq up to the mark's, by a name that
 *     one start of the server never gives twice; null if that was not asked for or is not told
 * @since 0.1
 */
public record ReadResult(
    List<StoredMessage> rows,
    List<long[]> laneHeads,
    boolean cut,
    Server server,
    long oldestRunning,
    @Nullable Mark mark,
    @Nullable Set<String> publishers) {
  /** A lane without deferred rows. */
  public static final long NO_HEAD = Long.MAX_VALUE;

  public ReadResult {
    rows = List.copyOf(rows);
    laneHeads = List.copyOf(laneHeads);
    publishers = publishers == null ? null : Set.copyOf(publishers);
  }

  /**
   * A server as a read found it. All of it is 0 if the database does not tell.
   *
   * @param history another number than before: the database may have lost commits
   * @param start another number than before: the server was started anew
   * @since 0.1
   */
  public record Server(long history, long start) {
    /** Of a database that tells nothing. */
    public static final Server UNKNOWN = new Server(0, 0);
  }

  /**
   * Who may still bring rows with low seqs.
   *
   * @param drawn the last seq that had been drawn; all lower ones had been drawn too
   * @param transaction a number: those who had drawn them have lower numbers; 0 if no mark was
   *     asked for
   * @since 0.1
   */
  public record Mark(long drawn, long transaction) {}

  /** Rows of a database that does not tell of other transactions. */
  public static ReadResult ofUnknown(
      List<StoredMessage> rows, List<long[]> laneHeads, boolean cut) {
    return new ReadResult(rows, laneHeads, cut, Server.UNKNOWN, 0, null, null);
  }
}
