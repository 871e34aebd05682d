/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.spi.ReadResult;
import io.posthorn.spi.StoredMessage;
import java.util.concurrent.TimeUnit;

/**
 * Up to which seq no row can appear any more. Now and then a read brings a mark: which seqs had
 * been drawn, and by transactions up to which number. When a later read's snapshot shows that all
 * of those have ended, what they have written is visible to it, and the mark has been passed.
 *
 * <p>If the database does not tell of other transactions, or one of them takes very long, a mark
 * counts as passed after the look-back time, and sweeps find what comes even later. Guarded by the
 * workload's lock.
 */
final class Horizon {
  /** A mark costs the database a transaction number. */
  private static final long BETWEEN_MARKS = TimeUnit.MILLISECONDS.toNanos(5);

  private final long lookBackNanos;
  private long passed;
  private long highest;
  private boolean marked;
  private boolean everMarked;
  private long mark;
  private long markedBy;
  private long markedAt;
  private boolean unsure;
  private long unsureUntil; // the last transaction that had not ended when its mark was passed

  Horizon(long now, long lookBackNanos) {
    this.markedAt = now - BETWEEN_MARKS;
    this.lookBackNanos = lookBackNanos;
  }

  /** Whether the next read should bring a mark: there may be something to pass. */
  boolean wantsMark(long now) {
    return !marked && (!everMarked || highest > passed) && now - markedAt >= BETWEEN_MARKS;
  }

  /** Whether rows can appear below what has been passed, because somebody was not waited for. */
  boolean unsure() {
    return unsure;
  }

  /** Notes that everything was read from the beginning. */
  void swept(ReadResult result) {
    unsure &= result.oldestRunning() <= unsureUntil;
  }

  /**
   * Notes a read.
   *
   * @param begun when it began
   * @return the seq up to which no row can appear after it
   */
  long read(ReadResult result, boolean markWanted, long begun, long now) {
    for (StoredMessage row : result.rows()) {
      highest = Math.max(highest, row.seq());
    }
    boolean ended = result.oldestRunning() > markedBy;
    if (marked && (ended || begun - markedAt >= lookBackNanos)) {
      passed = Math.max(passed, mark);
      marked = false;
      if (!ended) {
        unsure = true;
        unsureUntil = markedBy;
      }
    }
    if (markWanted && !marked) {
      marked = true;
      everMarked = true;
      markedAt = now;
      ReadResult.Mark told = result.mark();
      // Without being told: what is visible has been drawn, and everything below it.
      mark = told == null ? highest : told.drawn();
      markedBy = told == null ? Long.MAX_VALUE : told.transaction();
    }
    return passed;
  }
}
