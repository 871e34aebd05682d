/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import java.util.List;

/**
 * Rows of the deferred table.
 *
 * @param rows lane by lane, those of a lane in seq order; rows behind the head may be not due
 * @param cut whether it ended at the most rows or bytes, so that the last lane may be incomplete
 * @since 0.1
 */
public record DueResult(List<DeferredMessage> rows, boolean cut) {
  public DueResult {
    rows = List.copyOf(rows);
  }
}
