/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import io.posthorn.Admin.Count;
import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.Page;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Messages that wait for one handler: delayed, retrying, or held behind another of their lane; and
 * the markers that keep lanes blocked. See {@link Admin} for threads, transactions and failures.
 *
 * @since 0.1
 */
public interface DeferredMessages {
  /**
   * A page by partition, handler and seq, without payloads. What keeps lanes waiting, and since
   * when, is found by the reasons {@code BLOCKED} and {@code RETRYING}.
   *
   * @param cursor null for the first page, else the one of the page before
   * @param limit 1 to {@link Admin#LONGEST_PAGE}
   * @throws IllegalArgumentException if the cursor is not one that a page returned
   */
  Page<DeferredEntry> page(Filter filter, @Nullable String cursor, int limit);

  /** Counts in short statements; ends at {@link Admin#MAX_ROWS_COUNTED}. */
  Count count(Filter filter);

  /**
   * The same without an end at {@link Admin#MAX_ROWS_COUNTED}, as long as it is wanted. Each step
   * is a short statement on some 5,000 rows; those that come and go meanwhile may be counted or
   * not.
   *
   * @param goesOn told what was counted so far after each step; if it says false, the count ends
   */
  Count count(Filter filter, Predicate<Count> goesOn);

  /** One deferred message, with its payload. */
  Optional<DeferredEntry> find(EntryId id);

  /**
   * Makes deferred messages due. One that stands behind others of its lane still waits for them.
   * Markers stay as they are.
   *
   * @return how many there were
   */
  default int runNow(Collection<EntryId> ids) {
    return (int) runNow(ids, ActionRun.once()).entries();
  }

  /** The same, as an action that can be watched and asked for again. */
  AdminAction runNow(Collection<EntryId> ids, ActionRun run);

  /** The same for all that match now. */
  AdminAction runAllNow(Filter filter, ActionRun run);

  /**
   * Deletes deferred messages, so that they are never delivered to their handlers. Markers stay; to
   * remove them, unblock the lane.
   *
   * @return how many there were
   */
  default int cancel(Collection<EntryId> ids) {
    return (int) cancel(ids, ActionRun.once()).entries();
  }

  /** The same, as an action that can be watched and asked for again. */
  AdminAction cancel(Collection<EntryId> ids, ActionRun run);

  /**
   * The same for all that match now.
   *
   * @return how many there were
   */
  default long cancelAll(Filter filter) {
    return cancelAll(filter, ActionRun.once()).entries();
  }

  /** The same, as an action that can be watched, stopped and asked for again. */
  AdminAction cancelAll(Filter filter, ActionRun run);

  /**
   * Makes deferred messages dead letters, which keep their last error, so that what stands behind
   * them in their lanes goes on. Unlike {@link #cancel}, it can be undone: a dead letter can be
   * retried. Markers stay.
   *
   * @return how many there were
   */
  default int skip(Collection<EntryId> ids) {
    return (int) skip(ids, ActionRun.once()).entries();
  }

  /** The same, as an action that can be watched and asked for again. */
  AdminAction skip(Collection<EntryId> ids, ActionRun run);

  /** The same for all that match now. */
  AdminAction skipAll(Filter filter, ActionRun run);
}
