/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import java.util.List;

/**
 * What to read of the ready table.
 *
 * @param slices in the order in which the rows and bytes are given out
 * @param known rows with these seqs are passed over and do not count
 * @param laneHandlers for each row the result tells the first deferred seq of its key for each of
 *     these handlers
 * @param maxRows how many rows to return at the most
 * @param maxBytes the row that reaches so many bytes is the last one to be returned
 * @param ask what to find out about other transactions
 * @since 0.1
 */
@SuppressWarnings("ArrayRecordComponent") // made for one read, never compared
public record ReadRequest(
    List<Slice> slices,
    long[] known,
    List<String> laneHandlers,
    int maxRows,
    long maxBytes,
    Ask ask) {
  /** Added to the payload and the headers of each row when bytes are counted. */
  public static final int ROW_OVERHEAD_BYTES = 512;

  public ReadRequest {
    slices = List.copyOf(slices);
    laneHandlers = List.copyOf(laneHandlers);
  }

  /** Which rows of a partition to read: the first of those with a greater seq. */
  public record Slice(int partition, long afterSeq, int limit) {}

  /** What a read finds out about other transactions, where the database tells. */
  public enum Ask {
    /** Only which of them have ended. */
    NOTHING,
    /** What has been drawn from the sequence, and by whom at the latest. */
    MARK,
    /** The same, and who has drawn and not ended. */
    MARK_AND_PUBLISHERS
  }
}
