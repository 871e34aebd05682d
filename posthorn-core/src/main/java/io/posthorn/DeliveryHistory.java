/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import io.posthorn.Admin.Count;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.HistoryEntry;
import io.posthorn.Admin.Page;
import java.util.Collection;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Messages that were delivered, and dead letters that were resolved. There are none unless {@code
 * relay.retention} is set. See {@link Admin} for threads, transactions and failures.
 *
 * @since 0.1
 */
public interface DeliveryHistory {
  /**
   * A page in seq order, without payloads.
   *
   * @param cursor null for the first page, else the one of the page before
   * @param limit 1 to {@link Admin#LONGEST_PAGE}
   * @throws IllegalArgumentException if the cursor is not one that a page returned
   */
  Page<HistoryEntry> page(Filter filter, @Nullable String cursor, int limit);

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

  /**
   * Lets delivered messages be delivered once more, to the handlers that had them. They stay in the
   * history. Nothing happens to one that is deferred or a dead letter for its handler.
   *
   * @return how many are delivered once more
   */
  default int replay(Collection<EntryId> ids) {
    return (int) replay(ids, ActionRun.once()).entries();
  }

  /** The same, as an action that can be watched and asked for again. */
  AdminAction replay(Collection<EntryId> ids, ActionRun run);

  /**
   * The same for all that match now, but for resolved dead letters, which were not delivered.
   *
   * @return how many are delivered once more
   * @throws IllegalArgumentException if the filter asks for resolved ones only
   */
  default long replayAll(Filter filter) {
    return replayAll(filter, ActionRun.once()).entries();
  }

  /** The same, as an action that can be watched, stopped and asked for again. */
  AdminAction replayAll(Filter filter, ActionRun run);

  /**
   * Undoes {@link DeadLetters#resolve}: resolved messages leave the history and are dead letters
   * again, with the attempts and the error that they had. A lane that one of them kept blocked
   * stays unblocked. Nothing happens to what was delivered, and to one that is deferred or a dead
   * letter for its handler.
   *
   * @return how many are dead letters again
   */
  default int reopen(Collection<EntryId> ids) {
    return (int) reopen(ids, ActionRun.once()).entries();
  }

  /** The same, as an action that can be watched and asked for again. */
  AdminAction reopen(Collection<EntryId> ids, ActionRun run);

  /** The same for all that match now. */
  AdminAction reopenAll(Filter filter, ActionRun run);
}
