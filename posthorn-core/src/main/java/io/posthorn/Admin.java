/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import io.posthorn.internal.admin.AdminDesk;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.FleetSurvey.Pause;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Lets people see and steer what was not delivered, what was, and what is paused, for the whole
 * fleet. Works in any process that has the outbox, also one that only publishes, and before the
 * start. Safe to share between threads.
 *
 * <p>Each call blocks for the database and is a transaction of its own, never part of the caller's;
 * those on all that match take several, of 500 entries each. Relays are told at once where signals
 * work, else they find out when they poll. What a relay has in memory, and a delivery under way, is
 * not called back: it may still happen, and what it comes to changes nothing if its row is no
 * longer there. All methods throw {@link StoreException} if the store cannot be reached.
 *
 * <pre>{@code
 * Admin admin = posthorn.admin();
 * admin.retryAll(Admin.Filter.all().handler("mailer").errorContains("timeout"));
 * }</pre>
 *
 * @since 0.1
 */
public final class Admin {
  /** No page is longer. */
  public static final int LONGEST_PAGE = 1_000;

  private final AdminDesk desk;

  Admin(AdminDesk desk) {
    this.desk = desk;
  }

  // --- dead letters

  /**
   * A page of dead letters in seq order, without their payloads.
   *
   * @param cursor null for the first page, else the one of the page before
   * @param limit 1 to {@link #LONGEST_PAGE}
   * @throws IllegalArgumentException if the cursor is not one that a page returned
   */
  public Page<DeadLetter> deadLetters(Filter filter, @Nullable String cursor, int limit) {
    return desk.deadLetters(requireNonNull(filter, "filter"), cursor, limit);
  }

  public long countDeadLetters(Filter filter) {
    return desk.countDeadLetters(requireNonNull(filter, "filter"));
  }

  /** One dead letter, with its payload. */
  public Optional<DeadLetter> deadLetter(EntryId id) {
    return desk.deadLetter(requireNonNull(id, "id"));
  }

  /**
   * Lets a dead letter be delivered again, with no attempts counted. It goes before what still
   * waits in its lane and after what has passed; if it kept its lane blocked, the lane goes on with
   * it.
   *
   * @return false if there was no such dead letter
   */
  public boolean retry(EntryId id) {
    return retry(List.of(id)) == 1;
  }

  /**
   * The same for many.
   *
   * @return how many there were
   */
  public int retry(Collection<EntryId> ids) {
    return desk.retry(ids);
  }

  /**
   * The same for all that match now. One that dies again meanwhile is left alone.
   *
   * @return how many there were
   */
  public long retryAll(Filter filter) {
    return desk.retryAll(requireNonNull(filter, "filter"));
  }

  /**
   * Says that dead letters were dealt with: they go to the history if retention is on, else they
   * are deleted. Lanes that they kept blocked go on.
   *
   * @return how many there were
   */
  public int resolve(Collection<EntryId> ids) {
    return desk.resolve(ids);
  }

  /**
   * Deletes dead letters. Lanes that they kept blocked go on.
   *
   * @return how many there were
   */
  public int delete(Collection<EntryId> ids) {
    return desk.delete(ids);
  }

  /**
   * Replaces all headers of a dead letter, before it is retried.
   *
   * @return false if there was no such dead letter
   * @throws IllegalArgumentException if publishing would refuse them
   */
  public boolean setHeaders(EntryId id, Map<String, String> headers) {
    return desk.setHeaders(requireNonNull(id, "id"), Map.copyOf(headers));
  }

  // --- deferred messages

  /**
   * A page of deferred messages, by partition, handler and seq, without their payloads. The markers
   * that keep lanes blocked are among them.
   *
   * @param cursor null for the first page, else the one of the page before
   * @param limit 1 to {@link #LONGEST_PAGE}
   * @throws IllegalArgumentException if the cursor is not one that a page returned
   */
  public Page<DeferredEntry> deferred(Filter filter, @Nullable String cursor, int limit) {
    return desk.deferred(requireNonNull(filter, "filter"), cursor, limit);
  }

  public long countDeferred(Filter filter) {
    return desk.countDeferred(requireNonNull(filter, "filter"));
  }

  /** One deferred message, with its payload. */
  public Optional<DeferredEntry> deferred(EntryId id) {
    return desk.deferred(requireNonNull(id, "id"));
  }

  /**
   * Makes deferred messages due. One that stands behind others of its lane still waits for them.
   * Markers stay as they are.
   *
   * @return how many there were
   */
  public int runNow(Collection<EntryId> ids) {
    return desk.runNow(ids);
  }

  /**
   * Deletes deferred messages, so that they are never delivered to their handlers. Markers stay; to
   * remove them, unblock the lane.
   *
   * @return how many there were
   */
  public int cancel(Collection<EntryId> ids) {
    return desk.cancel(ids);
  }

  /** The same for all that match now. */
  public long cancelAll(Filter filter) {
    return desk.cancelAll(requireNonNull(filter, "filter"));
  }

  /**
   * Makes the first deferred message of a lane a dead letter, so that the lane goes on. If a marker
   * stands there, that is removed.
   *
   * @return what was removed, or empty if nothing of the lane was deferred
   */
  public Optional<EntryId> skipHead(String handler, String key) {
    return desk.skipHead(requireNonNull(handler, "handler"), requireNonNull(key, "key"));
  }

  /**
   * Lets the messages of a lane wait until it is unblocked, through restarts too. What a relay has
   * in memory is still delivered.
   *
   * @return false if it was blocked by hand before
   */
  public boolean blockLane(String handler, String key) {
    return desk.block(requireNonNull(handler, "handler"), requireNonNull(key, "key"));
  }

  /**
   * Removes all markers of a lane, whoever set them, so that it goes on. Dead letters stay.
   *
   * @return false if there was none
   */
  public boolean unblockLane(String handler, String key) {
    return desk.unblock(requireNonNull(handler, "handler"), requireNonNull(key, "key"));
  }

  // --- history

  /**
   * A page of delivered messages in seq order, without their payloads. There are none unless {@code
   * relay.retention} is set.
   *
   * @param cursor null for the first page, else the one of the page before
   * @param limit 1 to {@link #LONGEST_PAGE}
   * @throws IllegalArgumentException if the cursor is not one that a page returned
   */
  public Page<HistoryEntry> history(Filter filter, @Nullable String cursor, int limit) {
    return desk.history(requireNonNull(filter, "filter"), cursor, limit);
  }

  public long countHistory(Filter filter) {
    return desk.countHistory(requireNonNull(filter, "filter"));
  }

  /**
   * Lets delivered messages be delivered once more, to the handlers that had them. They stay in the
   * history. Nothing happens to one that is deferred or a dead letter for its handler.
   *
   * @return how many are delivered once more
   */
  public int replay(Collection<EntryId> ids) {
    return desk.replay(ids);
  }

  /** The same for all that match now. */
  public long replayAll(Filter filter) {
    return desk.replayAll(requireNonNull(filter, "filter"));
  }

  // --- handlers

  /**
   * Says that a handler was removed on purpose. Without it, messages are kept for a handler that no
   * live relay has any more, for {@code relay.unknown-type-grace} after the last one is gone. What
   * was kept for it so far is not touched: see {@link #cancelAll}.
   *
   * @return false if no messages are kept for a handler of this name
   */
  public boolean forgetHandler(String name) {
    return desk.forgetHandler(requireNonNull(name, "name"));
  }

  // --- pauses

  /**
   * Starts no more deliveries of one handler, on any relay, until it is resumed; a restart does not
   * end it. The others go on, and if they wait for room its messages are put aside.
   *
   * @param name a handler that no relay has yet can be paused, too
   * @return false if it was paused before
   */
  public boolean pauseHandler(String name) {
    return desk.pauseHandler(requireNonNull(name, "name"));
  }

  /**
   * @return false if it was not paused
   */
  public boolean resumeHandler(String name) {
    return desk.resumeHandler(requireNonNull(name, "name"));
  }

  /**
   * Reads no more messages of one partition, on any relay, until it is resumed; a restart does not
   * end it. Those in memory are delivered.
   *
   * @return false if it was paused before
   * @throws IllegalArgumentException if there is no such partition
   */
  public boolean pausePartition(int partition) {
    return desk.pausePartition(partition);
  }

  /**
   * @return false if it was not paused
   * @throws IllegalArgumentException if there is no such partition
   */
  public boolean resumePartition(int partition) {
    return desk.resumePartition(partition);
  }

  /** What is paused now. */
  public List<Pause> pauses() {
    return desk.pauses();
  }

  // --- survey

  /**
   * Counts what waits, for the whole outbox. It costs about the same however long the backlog is:
   * each count ends at the limit.
   *
   * @param limit how many ready messages of one partition are counted, how many deferred ones of
   *     one partition and handler, and, times the number of partitions, how many dead letters
   * @throws IllegalArgumentException if the limit is not positive
   */
  public Survey survey(int limit) {
    return desk.survey(limit);
  }

  /**
   * Asks the database what slows the outbox down: old transactions and who holds them, dead rows,
   * settings. Cheap; needs no rights beyond those of a relay, and says what it may not see.
   *
   * @param patience transactions that have been open for longer are findings; a minute suits most
   * @throws IllegalArgumentException if the patience is negative
   */
  public DatabaseHealth databaseHealth(Duration patience) {
    return desk.databaseHealth(requireNonNull(patience, "patience"));
  }

  // --- what is told and asked

  /** Names what one handler has of one message. */
  public record EntryId(int partition, long seq, String handler) {
    public EntryId {
      requireNonNull(handler, "handler");
    }
  }

  /**
   * A part of a list.
   *
   * @param cursor what to ask for the next page with, or null: there is none
   */
  public record Page<T>(List<T> items, @Nullable String cursor) {
    public Page {
      items = List.copyOf(items);
    }
  }

  /** What one handler has of one message. */
  public sealed interface Entry {
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

  /** A message that was given up for one handler. */
  public record DeadLetter(
      StoredMessage message, String handler, int attempts, String error, Instant diedAt)
      implements Entry {}

  /**
   * A message that waits for one handler, or a marker that keeps a lane blocked.
   *
   * @param dueAt null: it has no time of its own
   */
  public record DeferredEntry(
      StoredMessage message,
      String handler,
      DeferReason reason,
      int attempts,
      @Nullable String lastError,
      @Nullable Instant dueAt,
      Instant deferredAt)
      implements Entry {}

  /** A message that was delivered to one handler, or dealt with by a person. */
  public record HistoryEntry(StoredMessage message, String handler, Instant deliveredAt)
      implements Entry {}

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
  public record Survey(
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
   * @param from the earliest time at which it died, was deferred or was delivered
   * @param to the time before which it did
   * @param reason for deferred messages only
   */
  public record Filter(
      @Nullable String type,
      @Nullable String handler,
      @Nullable String key,
      @Nullable String tenant,
      @Nullable String errorContains,
      @Nullable Instant from,
      @Nullable Instant to,
      @Nullable UUID messageId,
      @Nullable DeferReason reason) {
    private static final Filter ALL =
        new Filter(null, null, null, null, null, null, null, null, null);

    /** One that everything passes. */
    public static Filter all() {
      return ALL;
    }

    public Filter type(String wanted) {
      return new Filter(wanted, handler, key, tenant, errorContains, from, to, messageId, reason);
    }

    public Filter handler(String wanted) {
      return new Filter(type, wanted, key, tenant, errorContains, from, to, messageId, reason);
    }

    public Filter key(String wanted) {
      return new Filter(type, handler, wanted, tenant, errorContains, from, to, messageId, reason);
    }

    public Filter tenant(String wanted) {
      return new Filter(type, handler, key, wanted, errorContains, from, to, messageId, reason);
    }

    public Filter errorContains(String wanted) {
      return new Filter(type, handler, key, tenant, wanted, from, to, messageId, reason);
    }

    public Filter from(Instant wanted) {
      return new Filter(type, handler, key, tenant, errorContains, wanted, to, messageId, reason);
    }

    public Filter to(Instant wanted) {
      return new Filter(type, handler, key, tenant, errorContains, from, wanted, messageId, reason);
    }

    public Filter messageId(UUID wanted) {
      return new Filter(type, handler, key, tenant, errorContains, from, to, wanted, reason);
    }

    public Filter reason(DeferReason wanted) {
      return new Filter(type, handler, key, tenant, errorContains, from, to, messageId, wanted);
    }
  }
}
