/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.StringJoiner;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Lets operators see and steer what was not delivered, what was, and what is paused, for the whole
 * fleet. Works in any process that has the outbox, also one that only publishes, and before the
 * start. Safe to share between threads.
 *
 * <p>Each call blocks for the database and is a transaction of its own, never part of the caller's;
 * those on more than {@link io.posthorn.spi.AdminStore#MOST_IDS 500} entries take several. Relays
 * are told at once where signals work, else they find out when they poll. What a relay has in
 * memory, and a delivery under way, is not called back: it may still happen, and what it comes to
 * changes nothing if its row is no longer there. All methods throw {@link StoreException} if the
 * store cannot be reached.
 *
 * <p>Whatever changes something is recorded in the same transaction, see {@link #actions}; {@link
 * #as} says who acts.
 *
 * <p>Lists come in pages, without payloads. A page examines a bounded number of rows: if a filter
 * matches few of many, a page may have fewer entries than were asked for, even none, and still a
 * cursor to go on with.
 *
 * <pre>{@code
 * Admin admin = posthorn.admin().as("anna", "mail server is back");
 * admin.deadLetters().retryAll(Admin.Filter.all().handler("mailer").errorContains("timeout"));
 * }</pre>
 *
 * @since 0.1
 */
public interface Admin {
  /** No page is longer. */
  int LONGEST_PAGE = 1_000;

  /** Counts end when this many rows were examined. */
  int MAX_ROWS_COUNTED = 100_000;

  /**
   * The same, in the name of a person.
   *
   * @param who 1 to 100 characters; without this call it is {@code unknown}
   * @param why up to 1,000 characters
   * @throws IllegalArgumentException if one of them is too long, or nobody is named
   */
  Admin as(String who, @Nullable String why);

  /**
   * A page of messages that are ready for all their handlers, by partition and seq, without
   * payloads. {@link #survey} counts them.
   *
   * @param filter of type, key, tenant, id and the time when they were written
   * @param cursor null for the first page, else the one of the page before
   * @param limit 1 to {@link #LONGEST_PAGE}
   * @throws IllegalArgumentException if the cursor is not one that a page returned, or the filter
   *     asks for what a ready message does not have
   */
  Page<ReadyMessage> ready(Filter filter, @Nullable String cursor, int limit);

  /**
   * All that there is of one message now, with its payload: whether it is ready, and for each
   * handler where it is deferred, a dead letter, or in the history. Cheap. Empty if nothing is left
   * of it.
   */
  List<Entry> find(int partition, long seq);

  /** Messages that were given up. */
  DeadLetters deadLetters();

  /** Messages that wait for one handler, and what keeps lanes blocked. */
  DeferredMessages deferred();

  /** Messages that were delivered, with {@code relay.retention} only. */
  DeliveryHistory history();

  /** Lanes: one handler, one key. */
  Lanes lanes();

  /** Instances, their partitions, and what is paused. */
  Fleet fleet();

  /** What operators did. */
  ActionLog actions();

  /**
   * Counts what waits, for the whole outbox. It costs about the same however long the backlog is:
   * each count ends at the limit.
   *
   * @param limit how many ready messages of one partition are counted, how many deferred ones of
   *     one partition and handler, and, times the number of partitions, how many dead letters
   * @throws IllegalArgumentException if the limit is not positive
   */
  Survey survey(int limit);

  /**
   * Asks the database what slows the outbox down: old transactions and who holds them, dead rows,
   * settings. Cheap; needs no rights beyond those of a relay, and says what it may not see.
   *
   * @param patience transactions that have been open for longer are findings; a minute suits most
   * @throws IllegalArgumentException if the patience is negative
   */
  DatabaseHealth databaseHealth(Duration patience);

  /** Names what one handler has of one message. */
  record EntryId(int partition, long seq, String handler) {
    public EntryId {
      requireNonNull(handler, "handler");
    }
  }

  /**
   * A part of a list.
   *
   * @param cursor what to ask for the next page with, or null: there is none
   */
  record Page<T>(List<T> items, @Nullable String cursor) {
    public Page {
      items = List.copyOf(items);
    }
  }

  /**
   * How many entries match.
   *
   * @param complete false: {@link #MAX_ROWS_COUNTED} rows were examined, and there are more
   */
  record Count(long entries, boolean complete) {}

  /** What one handler has of one message. */
  sealed interface Entry {
    /** Without its payload in lists. */
    StoredMessage message();

    String handler();

    default EntryId id() {
      return new EntryId(message().partition(), message().seq(), handler());
    }

    default UUID messageId() {
      return message().envelope().id();
    }

    default String type() {
      return message().envelope().type();
    }

    default @Nullable String key() {
      return message().envelope().key();
    }
  }

  /** A message that no handler has had; those that a relay has in memory are among them. */
  record ReadyMessage(StoredMessage message) implements Entry {
    /** All that take its type. */
    @Override
    public String handler() {
      return DeferredMessage.UNDECIDED;
    }
  }

  /** A message that was given up for one handler. */
  record DeadLetter(
      StoredMessage message, String handler, int attempts, String error, Instant diedAt)
      implements Entry {}

  /**
   * A message that waits for one handler, or a marker that keeps a lane blocked.
   *
   * @param dueAt null: it has no time of its own
   */
  record DeferredEntry(
      StoredMessage message,
      String handler,
      DeferReason reason,
      int attempts,
      @Nullable String lastError,
      @Nullable Instant dueAt,
      Instant deferredAt)
      implements Entry {}

  /**
   * A message that was delivered to one handler, or a dead letter that an operator resolved.
   *
   * @param resolution null: it was delivered
   * @param error what a resolved one had died of; null if it was delivered
   */
  record HistoryEntry(
      StoredMessage message,
      String handler,
      Instant deliveredAt,
      @Nullable Resolution resolution,
      @Nullable String error)
      implements Entry {}

  /** Who said that a dead letter was dealt with, and why. */
  record Resolution(String who, @Nullable String why) {
    public Resolution {
      requireNonNull(who, "who");
    }
  }

  /**
   * What waits, at one moment.
   *
   * @param at on the database's clock
   * @param ready by partition and type; those without messages are left out, here and below
   * @param deferred by handler and type, without the markers that keep lanes blocked. The handler
   *     of a message that is delayed is {@code *}
   * @param dead by handler and type, the newest if there are too many
   * @param oldestReady how long ago the oldest of the ready messages was written, delayed ones
   *     before their delay; zero if there is none
   * @param instances relays whose lease has not ended
   * @param capped whether a count ended at the limit, so that there may be more
   */
  record Survey(
      Instant at,
      List<Ready> ready,
      List<Waiting> deferred,
      List<Waiting> dead,
      Duration oldestReady,
      int instances,
      boolean capped) {
    public Survey {
      requireNonNull(at, "at");
      requireNonNull(oldestReady, "oldestReady");
      ready = List.copyOf(ready);
      deferred = List.copyOf(deferred);
      dead = List.copyOf(dead);
    }

    /** How many messages of one type are ready in one partition. */
    public record Ready(int partition, String type, long messages) {}

    /** How many messages of one type wait for one handler, or were given up for it. */
    public record Waiting(String handler, String type, long messages) {}
  }

  /**
   * Which entries are meant: those for which everything that is set holds. Immutable; each method
   * with a parameter returns a filter that asks for one thing more.
   *
   * @param errorContains a part of the error, in the same case; not for the history
   * @param from the earliest time at which it died, was deferred, was delivered or, if it is ready,
   *     was written
   * @param to the time before which it did
   * @param reason for deferred messages only
   * @param resolvedOnly for the history only: dead letters that were resolved, not deliveries
   */
  record Filter(
      @Nullable String type,
      @Nullable String handler,
      @Nullable String key,
      @Nullable String tenant,
      @Nullable String errorContains,
      @Nullable Instant from,
      @Nullable Instant to,
      @Nullable UUID messageId,
      @Nullable DeferReason reason,
      boolean resolvedOnly) {
    private static final Filter ALL =
        new Filter(null, null, null, null, null, null, null, null, null, false);

    /** One that everything passes. */
    public static Filter all() {
      return ALL;
    }

    public Filter type(String wanted) {
      return new Filter(
          wanted, handler, key, tenant, errorContains, from, to, messageId, reason, resolvedOnly);
    }

    public Filter handler(String wanted) {
      return new Filter(
          type, wanted, key, tenant, errorContains, from, to, messageId, reason, resolvedOnly);
    }

    public Filter key(String wanted) {
      return new Filter(
          type, handler, wanted, tenant, errorContains, from, to, messageId, reason, resolvedOnly);
    }

    public Filter tenant(String wanted) {
      return new Filter(
          type, handler, key, wanted, errorContains, from, to, messageId, reason, resolvedOnly);
    }

    public Filter errorContains(String wanted) {
      return new Filter(
          type, handler, key, tenant, wanted, from, to, messageId, reason, resolvedOnly);
    }

    public Filter from(Instant wanted) {
      return new Filter(
          type, handler, key, tenant, errorContains, wanted, to, messageId, reason, resolvedOnly);
    }

    public Filter to(Instant wanted) {
      return new Filter(
          type, handler, key, tenant, errorContains, from, wanted, messageId, reason, resolvedOnly);
    }

    public Filter messageId(UUID wanted) {
      return new Filter(
          type, handler, key, tenant, errorContains, from, to, wanted, reason, resolvedOnly);
    }

    public Filter reason(DeferReason wanted) {
      return new Filter(
          type, handler, key, tenant, errorContains, from, to, messageId, wanted, resolvedOnly);
    }

    public Filter onlyResolved() {
      return new Filter(
          type, handler, key, tenant, errorContains, from, to, messageId, reason, true);
    }

    /** What is asked for: {@code handler = mailer, error contains timeout}. */
    @Override
    public String toString() {
      StringJoiner set = new StringJoiner(", ").setEmptyValue("everything");
      add(set, "type = ", type);
      add(set, "handler = ", handler);
      add(set, "key = ", key);
      add(set, "tenant = ", tenant);
      add(set, "error contains ", errorContains);
      add(set, "from ", from);
      add(set, "before ", to);
      add(set, "id = ", messageId);
      add(set, "reason = ", reason);
      add(set, "resolved", resolvedOnly ? "" : null);
      return set.toString();
    }

    private static void add(StringJoiner set, String name, @Nullable Object value) {
      if (value != null) {
        set.add(name + value);
      }
    }
  }
}
