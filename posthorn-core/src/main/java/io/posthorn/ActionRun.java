/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import java.util.UUID;
import java.util.function.Predicate;

/**
 * How an action on many entries is carried out: a batch and a transaction at a time. Immutable.
 *
 * <p>What was done is recorded with each batch, under the id. Asked for again with the same id, an
 * action that has ended does nothing and returns what it did; one whose process ended in the middle
 * goes on where it was; and one that is under way in two processes at once is done once.
 *
 * @param goesOn told how far the action is after each batch; if it says false, the action is
 *     stopped
 * @since 0.1
 */
public record ActionRun(UUID id, Predicate<AdminAction> goesOn) {
  public ActionRun {
    requireNonNull(id, "id");
    requireNonNull(goesOn, "goesOn");
  }

  /** With an id of its own, to the end. */
  public static ActionRun once() {
    return of(UUID.randomUUID());
  }

  /** With this id, to the end. */
  public static ActionRun of(UUID id) {
    return new ActionRun(id, any -> true);
  }

  /** The same, but stopped when this says false. */
  public ActionRun whileTrue(Predicate<AdminAction> wanted) {
    return new ActionRun(id, wanted);
  }
}
