/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import io.posthorn.Admin.Count;
import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.Page;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Dead letters: messages that are not delivered again unless an operator says so. They are never
 * purged. See {@link Admin} for threads, transactions and failures.
 *
 * @since 0.1
 */
public interface DeadLetters {
  /** Groups are made of this many dead letters at the most. */
  int MAX_ROWS_GROUPED = 5_000;

  /**
   * A page in seq order, without payloads.
   *
   * @param cursor null for the first page, else the one of the page before
   * @param limit 1 to {@link Admin#LONGEST_PAGE}
   * @throws IllegalArgumentException if the cursor is not one that a page returned
   */
  Page<DeadLetter> page(Filter filter, @Nullable String cursor, int limit);

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

  /** One dead letter, with its payload. */
  Optional<DeadLetter> find(EntryId id);

  /**
   * Groups those with the latest seqs by handler and error, so that its cost does not grow with the
   * table. Errors that differ in numbers, ids and quoted texts only are the same.
   *
   * @param handler null: of all handlers
   */
  Groups groups(@Nullable String handler);

  /**
   * Lets a dead letter be delivered again, with no attempts counted. It goes before what still
   * waits in its lane and after what has passed; if it kept its lane blocked, the lane goes on with
   * it.
   *
   * @return false if there was no such dead letter
   */
  default boolean retry(EntryId id) {
    return retry(List.of(id)) == 1;
  }

  /**
   * The same for many.
   *
   * @return how many there were
   */
  default int retry(Collection<EntryId> ids) {
    return (int) retry(ids, ActionRun.once()).entries();
  }

  /** The same, as an action that can be watched and asked for again. */
  AdminAction retry(Collection<EntryId> ids, ActionRun run);

  /**
   * The same for all that match now. One that dies again meanwhile is left alone.
   *
   * @return how many there were
   */
  default long retryAll(Filter filter) {
    return retryAll(filter, ActionRun.once()).entries();
  }

  /** The same, as an action that can be watched, stopped and asked for again. */
  AdminAction retryAll(Filter filter, ActionRun run);

  /**
   * Says that dead letters were dealt with: they go to the history, with who and why, and stay
   * there for {@code relay.retention}, or for seven days if that is zero; {@link
   * DeliveryHistory#reopen} brings them back. Lanes that they kept blocked go on.
   *
   * @return how many there were
   */
  default int resolve(Collection<EntryId> ids) {
    return (int) resolve(ids, ActionRun.once()).entries();
  }

  /** The same, as an action that can be watched and asked for again. */
  AdminAction resolve(Collection<EntryId> ids, ActionRun run);

  /** The same for all that match now. */
  AdminAction resolveAll(Filter filter, ActionRun run);

  /**
   * Deletes dead letters. Lanes that they kept blocked go on.
   *
   * @return how many there were
   */
  default int delete(Collection<EntryId> ids) {
    return (int) delete(ids, ActionRun.once()).entries();
  }

  /** The same, as an action that can be watched and asked for again. */
  AdminAction delete(Collection<EntryId> ids, ActionRun run);

  /** The same for all that match now. */
  AdminAction deleteAll(Filter filter, ActionRun run);

  /**
   * Replaces all headers of a dead letter, before it is retried. The action keeps what they were.
   *
   * @return false if there was no such dead letter
   * @throws IllegalArgumentException if publishing would refuse them, or those that it has can't be
   *     read ({@link MessageHeaders#UNREADABLE})
   */
  default boolean setHeaders(EntryId id, Map<String, String> headers) {
    return setHeaders(id, headers, ActionRun.once()).entries() > 0;
  }

  /** The same, as an action that can be asked for again. */
  AdminAction setHeaders(EntryId id, Map<String, String> headers, ActionRun run);

  /**
   * Sets and removes headers of dead letters, before they are retried. What they were is not kept;
   * {@link #setHeaders(EntryId, Map)} keeps it. One whose headers publishing would then refuse, or
   * that cannot be read, stays as it is, and is not counted.
   *
   * @return how many were changed, those that had these headers before among them
   * @throws IllegalArgumentException if publishing would refuse the headers that are set
   */
  default int editHeaders(Collection<EntryId> ids, HeaderEdit edit) {
    return (int) editHeaders(ids, edit, ActionRun.once()).entries();
  }

  /** The same, as an action that can be watched and asked for again. */
  AdminAction editHeaders(Collection<EntryId> ids, HeaderEdit edit, ActionRun run);

  /** The same for all that match now. */
  AdminAction editAllHeaders(Filter filter, HeaderEdit edit, ActionRun run);

  /**
   * Replaces the payload of a dead letter, before it is retried. The message gets a header {@link
   * MessageHeaders#EDITED}, which stays with it wherever it goes; it names the action of the first
   * edit, which keeps the original.
   *
   * @param payload as it is stored, in the message's content type; null is a tombstone
   * @return false if there was no such dead letter
   * @throws IllegalArgumentException if it is longer than {@code publish.max-payload-bytes}, or the
   *     headers of the dead letter can't be read ({@link MessageHeaders#UNREADABLE})
   */
  default boolean setPayload(EntryId id, byte @Nullable [] payload) {
    return setPayload(id, payload, ActionRun.once()).entries() > 0;
  }

  /** The same, as an action that can be asked for again. */
  AdminAction setPayload(EntryId id, byte @Nullable [] payload, ActionRun run);

  /** Headers to set, and names of others to remove. */
  record HeaderEdit(Map<String, String> set, Set<String> remove) {
    public HeaderEdit {
      set = Map.copyOf(set);
      remove = Set.copyOf(remove);
    }

    /** What is done, without the values, which may be secret: {@code set a, remove b}. */
    @Override
    public String toString() {
      Stream<String> sets = set.keySet().stream().sorted().map(name -> "set " + name);
      return Stream.concat(sets, remove.stream().sorted().map(name -> "remove " + name))
          .collect(Collectors.joining(", "));
    }
  }

  /**
   * Dead letters by handler and error, the largest groups first.
   *
   * @param examined how many dead letters the groups were made of
   * @param complete false: there are more, whose seqs are lower
   */
  record Groups(List<Group> groups, int examined, boolean complete) {
    public Groups {
      groups = List.copyOf(groups);
    }
  }

  /**
   * Dead letters of one handler that died of the same.
   *
   * @param error what their errors have in common: a # stands for a number or an id, and "…" for a
   *     quoted text
   * @param newest the one that died last, without its payload
   */
  record Group(String handler, String error, int letters, DeadLetter newest) {}
}
