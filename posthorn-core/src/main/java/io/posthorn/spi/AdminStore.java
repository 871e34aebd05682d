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
import io.posthorn.Admin.ReadyMessage;
import io.posthorn.Admin.Resolution;
import io.posthorn.Admin.Survey;
import io.posthorn.AdminAction;
import io.posthorn.AdminAction.Original;
import io.posthorn.DatabaseHealth;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What operators ask of the store. Each call is one transaction, with a connection that it takes
 * for itself, unless it is made within {@link #together}. Those that take ids get {@link #MOST_IDS}
 * at the most, pass over ids that are not there, and return the others. Lists leave payloads out.
 * Safe to share between threads. All throw {@link StoreException}.
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

  /** No list and no count examines more rows in one call that a filter may pass over. */
  int MAX_ROWS_EXAMINED = 5_000;

  /**
   * A part of a list.
   *
   * @param next where to go on, or null: nothing is behind. A part may be empty and have a next
   *     place, if the filter passed over all rows that were examined
   */
  record Slice<T>(List<T> entries, @Nullable Place next) {
    public Slice {
      entries = List.copyOf(entries);
    }
  }

  /**
   * How many of the rows that were examined match.
   *
   * @param next where to go on, or null: nothing is behind
   */
  record Counted(long matches, @Nullable Place next) {}

  /** The present on the store's clock. */
  Instant now();

  /**
   * Runs work in one transaction: what it does with the store that it is given is kept or lost
   * together.
   *
   * @param work may be run again from its beginning, if the database rolled it back. Must not keep
   *     the store that it gets
   */
  <T> T together(Function<AdminStore, T> work);

  // --- actions

  /** An action that an operator asks for. */
  record NewAction(
      UUID id, AdminAction.Kind kind, String who, @Nullable String why, String target) {
    public NewAction {
      requireNonNull(id, "id");
      requireNonNull(kind, "kind");
      requireNonNull(who, "who");
      requireNonNull(target, "target");
    }
  }

  /**
   * An action that is recorded and locked.
   *
   * @param place what {@link #advance} was last told; null: nothing yet
   */
  record OpenAction(AdminAction action, @Nullable String place) {
    public OpenAction {
      requireNonNull(action, "action");
    }
  }

  /**
   * Records an action as running, unless one of the same id is recorded, and locks what is recorded
   * to the end of the transaction. To be called first, within {@link #together}.
   */
  OpenAction open(NewAction action);

  /**
   * Records progress of an open action.
   *
   * @param entries to how many more it was done
   * @param place where it goes on, or null: it is done
   */
  AdminAction advance(UUID id, long entries, @Nullable String place);

  /** Records what an edit replaced. */
  void keepOriginal(UUID id, Original original);

  /**
   * Marks a running action as stopped.
   *
   * @return false if there is no such action, or it has ended
   */
  boolean stopAction(UUID id);

  /** One action, with its original. */
  Optional<AdminAction> action(UUID id);

  /** The latest first, without originals; those behind a place, if it is not null. */
  List<AdminAction> actions(@Nullable ActionPlace after, int limit);

  /** Where in the list of actions one stands. */
  record ActionPlace(Instant startedAt, UUID id) {
    public ActionPlace {
      requireNonNull(startedAt, "startedAt");
      requireNonNull(id, "id");
    }
  }

  // --- ready messages

  /** By partition and seq, those behind a place, if it is not null. */
  Slice<ReadyMessage> ready(Filter filter, @Nullable Place after, int limit);

  // --- dead letters

  Optional<DeadLetter> deadLetter(EntryId id);

  /** One dead letter, with its payload, locked to the end of the transaction. */
  Optional<DeadLetter> lockDeadLetter(EntryId id);

  /** By seq and handler, those behind a place, if it is not null. */
  Slice<DeadLetter> deadLetters(Filter filter, @Nullable Place after, int limit);

  Counted countDeadLetters(Filter filter, @Nullable Place after);

  /**
   * Those with the highest seqs.
   *
   * @param handler null: of all handlers
   */
  List<DeadLetter> latestDeadLetters(@Nullable String handler, int limit);

  /**
   * Moves dead letters to the deferred table: retrying, no attempts, due now, the error kept. They
   * stand in their lanes if they have a key. The marker that stood for one is replaced by it.
   */
  List<EntryId> retry(Collection<EntryId> ids);

  /**
   * Deletes dead letters with the markers that stand for them; those lanes go on, as after {@link
   * #unblock}.
   *
   * @param resolution if it is not null, they are copied to the history with it
   */
  List<EntryId> remove(Collection<EntryId> ids, @Nullable Resolution resolution);

  /** Replaces the headers of a dead letter; false if there is none. */
  boolean setHeaders(EntryId id, Map<String, String> headers);

  /** Replaces the payload of a dead letter; false if there is none. */
  boolean setPayload(EntryId id, byte @Nullable [] payload);

  // --- deferred messages

  Optional<DeferredEntry> deferred(EntryId id);

  /** By partition, handler and seq, those behind a place, if it is not null. */
  Slice<DeferredEntry> deferred(Filter filter, @Nullable Place after, int limit);

  Counted countDeferred(Filter filter, @Nullable Place after);

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
  Slice<HistoryEntry> history(Filter filter, @Nullable Place after, int limit);

  Counted countHistory(Filter filter, @Nullable Place after);

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

  // --- fleet

  /** What the tables say of the fleet. How long until a lease ends is not told. */
  FleetSurvey fleet();

  /** What relays said of themselves with their last heartbeats. */
  List<Report> reports();

  /**
   * A relay's last heartbeat.
   *
   * @param leaseEnd as it was stated
   * @param at when that was
   * @param text as it came; null: there was none since the relay joined
   */
  record Report(RelayIdentity identity, Instant leaseEnd, Instant at, @Nullable String text) {
    public Report {
      requireNonNull(identity, "identity");
      requireNonNull(leaseEnd, "leaseEnd");
      requireNonNull(at, "at");
    }
  }

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
