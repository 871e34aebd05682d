/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import static java.util.Objects.requireNonNull;

import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.HistoryEntry;
import io.posthorn.Admin.Survey;
import io.posthorn.DatabaseHealth;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What people ask of the store. Each call is one transaction, with a connection that it takes for
 * itself. Those that take ids get {@link #MOST_IDS} at the most, pass over ids that are not there,
 * and return the others. Lists leave payloads out. Safe to share between threads. All throw {@link
 * StoreException}.
 *
 * @since 0.1
 */
public interface AdminStore {
  /** No call gets more ids. */
  int MOST_IDS = 500;

  /**
   * Where in a list an entry stands.
   *
   * @param time when it was delivered, in the history; else null
   */
  record Place(EntryId id, @Nullable Instant time) {
    public Place {
      requireNonNull(id, "id");
    }
  }

  /** The present on the store's clock. */
  Instant now();

  // --- dead letters

  Optional<DeadLetter> deadLetter(EntryId id);

  /** By seq and handler, those behind a place, if it is not null. */
  List<DeadLetter> deadLetters(Filter filter, @Nullable Place after, int limit);

  long countDeadLetters(Filter filter);

  /**
   * Moves dead letters to the deferred table: retrying, no attempts, due now, the error kept. They
   * stand in their lanes if they have a key. The marker that stood for one is replaced by it.
   */
  List<EntryId> retry(Collection<EntryId> ids);

  /**
   * Deletes dead letters with the markers that stand for them; those lanes go on, as after {@link
   * #unblock}.
   *
   * @param keepHistory whether they are copied to the history
   */
  List<EntryId> remove(Collection<EntryId> ids, boolean keepHistory);

  /** Replaces the headers of a dead letter; false if there is none. */
  boolean setHeaders(EntryId id, Map<String, String> headers);

  // --- deferred messages

  Optional<DeferredEntry> deferred(EntryId id);

  /** By partition, handler and seq, those behind a place, if it is not null. */
  List<DeferredEntry> deferred(Filter filter, @Nullable Place after, int limit);

  long countDeferred(Filter filter);

  /** Makes deferred messages due; markers are passed over. */
  List<EntryId> runNow(Collection<EntryId> ids);

  /**
   * Deletes deferred messages; markers are passed over. Their lanes go on, as after {@link
   * #unblock}.
   */
  List<EntryId> cancel(Collection<EntryId> ids);

  /**
   * Makes the head of a lane a dead letter with this error, or deletes it if it is a marker. The
   * lane goes on, as after {@link #unblock}.
   */
  Optional<EntryId> skipHead(LaneId lane, String error);

  /**
   * Puts a marker before all messages of a lane: it is never due, and its seq is negative.
   *
   * @return false if such a marker stands there
   */
  boolean block(LaneId lane);

  /**
   * Deletes all markers of a lane. If its head then has no time of its own, that becomes due, so
   * that relays find the lane.
   *
   * @return how many there were
   */
  int unblock(LaneId lane);

  // --- history

  /** By seq, handler and time, those behind a place, if it is not null. */
  List<HistoryEntry> history(Filter filter, @Nullable Place after, int limit);

  long countHistory(Filter filter);

  /**
   * Copies delivered messages to the deferred table: retrying, no attempts, due now. One that is
   * deferred or a dead letter for the same handler is passed over.
   */
  List<EntryId> replay(Collection<EntryId> ids);

  // --- handlers

  /**
   * Forgets a handler that was noted as gone.
   *
   * @return false if there was none
   */
  boolean forgetHandler(String name);

  // --- pauses

  /**
   * @return false if it was paused before
   */
  boolean pause(FleetSurvey.Paused kind, String name);

  /**
   * @return false if it was not paused
   */
  boolean resume(FleetSurvey.Paused kind, String name);

  List<FleetSurvey.Pause> pauses();

  // --- survey

  /**
   * Counts what waits, at about the same cost however much it is.
   *
   * @param limit how many ready messages are counted of a partition, how many deferred ones of a
   *     partition and handler, and, times the number of partitions, how many dead letters
   */
  Survey survey(int limit);

  // --- database

  /**
   * The state of the database. What may not be seen is said, not thrown.
   *
   * @param patience transactions that have been open for longer are findings
   */
  DatabaseHealth databaseHealth(Duration patience);
}
