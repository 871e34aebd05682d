/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import java.util.Collection;
import java.util.List;

/**
 * What to read of the deferred table: rows whose time has come, and what stands behind them in
 * their lanes.
 *
 * @param slices in the order in which the rows and bytes are given out
 * @param known rows that are passed over as heads
 * @param rowsPerLane how many rows of a lane to return at the most, from its head on
 * @param maxRows how many rows to return at the most
 * @param maxBytes the row that reaches so many bytes is the last one to be returned
 * @since 0.1
 */
public record DueRequest(
    List<Slice> slices, Collection<Row> known, int rowsPerLane, int maxRows, long maxBytes) {
  public DueRequest {
    slices = List.copyOf(slices);
    known = List.copyOf(known);
  }

  /** The first rows of one handler in one partition that are due and stand behind no other. */
  public record Slice(int partition, String handler, int heads) {}

  /** A row of the deferred table. */
  public record Row(int partition, long seq, String handler) {}
}
