/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import io.posthorn.Admin.Page;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What operators did, and are doing: each change that was made by an {@link Admin} is recorded, in
 * the same transaction. Actions are not purged. See {@link Admin} for threads, transactions and
 * failures.
 *
 * @since 0.1
 */
public interface ActionLog {
  /**
   * A page, the newest first, without what edits replaced.
   *
   * @param cursor null for the first page, else the one of the page before
   * @param limit 1 to {@link Admin#LONGEST_PAGE}
   * @throws IllegalArgumentException if the cursor is not one that a page returned
   */
  Page<AdminAction> page(@Nullable String cursor, int limit);

  /** One action, with what it replaced if it was an edit. */
  Optional<AdminAction> find(UUID id);

  /**
   * Ends an action that is under way in any process, once its current batch is done. What it has
   * done stays done.
   *
   * @return false if there is none, or it has ended
   */
  boolean stop(UUID id);
}
