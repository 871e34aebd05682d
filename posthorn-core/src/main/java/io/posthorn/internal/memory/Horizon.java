/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.spi.ReadResult;
import io.posthorn.spi.ReadResult.Server;
import io.posthorn.spi.RelayStore.ReadRequest.Ask;
import io.posthorn.spi.StoredMessage;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Up to which seq no row can appear any more. Now and then a read brings a mark: which seqs had
 * been drawn, and by transactions up to which number. The mark has been passed when all of those
 * transactions have ended. If they do not end for a moment, the read also asks who has written to
 * the ready table and not ended: others are of no concern, however long they take.
 *
 * <p>If the database does not tell of other transactions, a mark counts as passed after the
 * look-back time, and sweeps find what comes even later. Guarded by the memory's lock.
 */
final class Horizon {
  /**
   * How far a relay raises a sequence that has gone back above all that is stored. No sequence gets
   * so far between two reads, so other relays notice it.
   */
  static final long RAISE = 1L << 32;

  /** A mark costs the database a transaction number. */
  private static final long BETWEEN_MARKS = TimeUnit.MILLISECONDS.toNanos(5);

  /** A mark that is not passed for so long makes reads ask for the publishers. */
  private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(20);

  private final long lookBackNanos;
  private Server server = Server.UNKNOWN; // the last that was told
  private long passed;
  private long highest;
  private long drawn; // as told by reads
  private boolean marked; // at least once
  private boolean tells;
  private @Nullable Pending mark;
  private long markedAt;
  private long askedAt;

  /** A mark that has not been passed. */
  private static final class Pending {
    final long seq;
    final long transaction;
    final long since;
    @Nullable Set<String> publishers; // those who may hold it back, once known

    Pending(long seq, long transaction, long since) {
      this.seq = seq;
      this.transaction = transaction;
      this.since = since;
    }
  }

  Horizon(long now, long lookBackNanos) {
    this.markedAt = now - BETWEEN_MARKS;
    this.askedAt = now;
    this.lookBackNanos = lookBackNanos;
  }

  /** One that knows nothing yet but which history the database has. */
  Horizon anew(long now) {
    Horizon other = new Horizon(now, lookBackNanos);
    other.server = server;
    return other;
  }

  /** What the next read should find out. */
  Ask ask(long now) {
    if (mark == null) {
      return isMarkWanted() && now - markedAt >= BETWEEN_MARKS ? Ask.MARK : Ask.NOTHING;
    }
    boolean stuck = tells && now - mark.since >= PATIENCE && now - askedAt >= PATIENCE;
    return stuck ? Ask.MARK_AND_PUBLISHERS : Ask.NOTHING;
  }

  private boolean isMarkWanted() {
    return highest > passed || !marked;
  }

  /** Whether rows can appear below what has been passed. */
  boolean unsure() {
    return !tells;
  }

  /** Whether the database may have lost commits since the reads before this one. */
  boolean isOfAnotherHistory(ReadResult result) {
    long history = result.server().history();
    return server.history() > 0 && history > 0 && history != server.history();
  }

  /**
   * Whether the sequence has gone back below what was seen of it, so that nothing that is known
   * holds any more. Another relay may have noticed it and raised the sequence: what was drawn
   * before may be below the floors of this one.
   *
   * @param floor the highest of those at which the read began
   */
  boolean hasGoneBack(ReadResult result, long floor) {
    ReadResult.Mark told = result.mark();
    return told != null
        && (told.drawn() < Math.max(floor, Math.max(drawn, highest))
            || (drawn > 0 && told.drawn() - drawn >= RAISE));
  }

  /**
   * Notes a read.
   *
   * @param begun when it began
   * @return the seq up to which no row can appear after it
   */
  long read(ReadResult result, Ask ask, long begun, long now) {
    for (StoredMessage row : result.rows()) {
      highest = Math.max(highest, row.seq());
    }
    tells |= result.oldestRunning() > 0;
    noteServer(result.server());
    drawn = Math.max(drawn, result.mark() == null ? highest : result.mark().drawn());
    if (ask == Ask.MARK_AND_PUBLISHERS) {
      askedAt = now;
    }
    Pending waiting = mark;
    if (waiting != null && hasPassed(waiting, result, begun)) {
      passed = Math.max(passed, waiting.seq);
      mark = null;
    }
    if (ask != Ask.NOTHING && mark == null && isMarkWanted()) {
      newMark(result, now);
    }
    return passed;
  }

  /** After a restart a prepared transaction goes by another name, and may still be a publisher. */
  private void noteServer(Server told) {
    if (told.start() == 0) {
      return;
    }
    if (mark != null && told.start() != server.start()) {
      mark.publishers = null;
    }
    server = told;
  }

  private boolean hasPassed(Pending waiting, ReadResult result, long begun) {
    if (!tells) {
      return begun - waiting.since >= lookBackNanos;
    }
    if (result.oldestRunning() > waiting.transaction) {
      return true;
    }
    Set<String> now = result.publishers();
    if (now == null) {
      return false;
    }
    if (waiting.publishers == null) {
      waiting.publishers = new HashSet<>(now); // all who drew before the mark, and some others
    } else {
      waiting.publishers.retainAll(now);
    }
    return waiting.publishers.isEmpty();
  }

  private void newMark(ReadResult result, long now) {
    ReadResult.Mark told = result.mark();
    markedAt = now;
    marked = true;
    // Without being told: what is visible has been drawn, and everything below it.
    mark =
        told == null
            ? new Pending(highest, Long.MAX_VALUE, now)
            : new Pending(told.drawn(), told.transaction(), now);
    Set<String> publishers = result.publishers();
    if (publishers != null) {
      mark.publishers = new HashSet<>(publishers);
    }
  }
}
