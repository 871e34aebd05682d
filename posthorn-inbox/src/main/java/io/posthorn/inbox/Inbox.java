/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import static java.util.Objects.requireNonNull;

import io.posthorn.ConfigurationException;
import io.posthorn.jdbc.InboxTable;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.Transactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Handles each received message once, although brokers deliver it at least once: the message's id
 * is recorded in the same transaction as the effects of handling it, and a message whose id is
 * there already is passed over. Needs no outbox. Safe to share between threads.
 *
 * <pre>{@code
 * Inbox inbox = Inbox.on(InboxTable.on(dataSource), new JdbcTransactions(dataSource));
 *
 * inbox.once("warehouse", messageId, () -> stock.take(order));
 * }</pre>
 *
 * <p>All is done in the caller's transaction if there is one, otherwise in one of its own; only
 * what the action does in that database, and in that transaction, is done once. A call with an id
 * that another transaction is just handling waits for its end. If the action fails, its exception
 * comes through as it is, and the message is not recorded: a transaction of the inbox's own is
 * rolled back; the caller's one is rolled back to a savepoint, so that the caller can catch the
 * exception and commit what else it did. Where there are no savepoints (JPA, JTA) the row is
 * deleted again, and what the action did is the caller's to keep or roll back.
 *
 * <p>Consumers are told apart by their names: two of them, on the same table, both get a message. A
 * name is up to 100 characters long and must stay the same, or all is handled once more.
 *
 * @since 0.1
 */
public final class Inbox {
  private static final int PURGE_BATCH = 1_000;

  private final InboxTable table;
  private final Once once;
  private final Known known;
  private final Listeners listeners;

  private Inbox(Builder builder) {
    this.table = builder.table;
    this.listeners = new Listeners(builder.listeners);
    this.known = new Known(builder.cache, builder.table, listeners);
    this.once = new Once(builder.table, builder.transactions, known, listeners);
  }

  /** What is done for a message. */
  @FunctionalInterface
  public interface Action<E extends Exception> {
    /**
     * @throws E any failure: the message counts as not handled
     */
    void run() throws E;
  }

  /** What is done for a message, with a result. */
  @FunctionalInterface
  public interface Work<T, E extends Exception> {
    /**
     * @throws E any failure: the message counts as not handled
     */
    T call() throws E;
  }

  /** What is done for messages. */
  @FunctionalInterface
  public interface BatchAction<M, E extends Exception> {
    /**
     * @param messages at least one
     * @throws E any failure: none of the messages counts as handled
     */
    void run(List<M> messages) throws E;
  }

  /**
   * @param transactions on the data source of the table
   * @throws ConfigurationException if they are on another one
   */
  public static Inbox on(InboxTable table, Transactions transactions) {
    return builder(table, transactions).build();
  }

  /**
   * @param transactions on the data source of the table
   */
  public static Builder builder(InboxTable table, Transactions transactions) {
    return new Builder(table, transactions);
  }

  /**
   * Checks an id, for those who must know before a call which message has none.
   *
   * @return the same id
   * @throws RuntimeException if it cannot be stored
   */
  public static String requireMessageId(String messageId) {
    return Names.requireMessageId(messageId);
  }

  /**
   * Creates the table if that was asked for, and checks it. Done at the first use otherwise.
   *
   * @throws ConfigurationException if the table is missing or is another one
   */
  public void open() {
    table.open();
  }

  /**
   * Runs the action unless the consumer has handled the message before.
   *
   * @param consumer who handles the message, by a name that stays the same
   * @param messageId of 1 to 255 characters
   * @return whether the action was run
   * @throws StoreException if it could not be found out whether the message was handled
   */
  public <E extends Exception> boolean once(String consumer, String messageId, Action<E> action)
      throws E {
    requireNonNull(action, "action");
    return callOnce(
            consumer,
            messageId,
            () -> {
              action.run();
              return true;
            })
        .isPresent();
  }

  /**
   * As {@link #once}, with the action's result, which is not null.
   *
   * @return empty if the consumer has handled the message before
   */
  public <T, E extends Exception> Optional<T> callOnce(
      String consumer, String messageId, Work<T, E> work) throws E {
    requireNonNull(work, "work");
    Names.requireConsumer(consumer);
    Names.requireMessageId(messageId);
    Set<String> ids = Set.of(messageId);
    return known.among(consumer, ids).isEmpty()
        ? once.call(consumer, ids, added -> requireNonNull(work.call(), "result of the work"))
        : Optional.empty();
  }

  /**
   * Runs the action with those messages that the consumer has not handled before, in their order,
   * in one call and one transaction. Nothing is called if there are none.
   *
   * @param messageId of a message; a message whose id comes more than once is handed over once
   * @return the messages that were handed over
   * @throws MissingIdException if the function throws for some of the messages, or their ids cannot
   *     be stored: after the others have been handled, so that these cost only themselves. In the
   *     caller's transaction it is the caller's to commit them
   */
  public <M, E extends Exception> List<M> onceEach(
      String consumer,
      Iterable<? extends M> messages,
      Function<? super M, String> messageId,
      BatchAction<M, E> action)
      throws E {
    requireNonNull(action, "action");
    Names.requireConsumer(consumer);
    IdentifiedMessages<M> given = IdentifiedMessages.of(messages, messageId);
    listeners.tell(consumer, given.repeated(), InboxListener::duplicate);
    listeners.tell(consumer, given.withoutId().size(), InboxListener::failed);
    Map<String, M> byId = given.byId();
    byId.keySet().removeAll(known.among(consumer, byId.keySet()));
    List<M> handed = byId.isEmpty() ? List.of() : handOver(consumer, byId, action);
    given.refuseThoseWithoutId(consumer);
    return handed;
  }

  private <M, E extends Exception> List<M> handOver(
      String consumer, Map<String, M> byId, BatchAction<M, E> action) throws E {
    return once.<List<M>, E>call(
            consumer,
            byId.keySet(),
            added -> {
              List<M> fresh = new ArrayList<>();
              byId.forEach(
                  (id, message) -> {
                    if (added.contains(id)) {
                      fresh.add(message);
                    }
                  });
              List<M> handed = List.copyOf(fresh);
              action.run(handed);
              return handed;
            })
        .orElse(List.of());
  }

  /**
   * Whether a call on this thread would join a transaction of the caller's. If so, its end decides
   * whether a message counts as handled, not the return of the call.
   */
  public boolean joinsTransaction() {
    return once.joinsTransaction();
  }

  /**
   * Forgets messages that were handled longer ago than this, in batches, each in a transaction of
   * its own. The age must be longer than the time for which a broker may deliver a message again.
   *
   * @return how many
   */
  public int purge(Duration age) {
    if (age.isNegative() || age.isZero()) {
      throw new IllegalArgumentException(
          "the age was " + age + " but must be longer than 0; nothing was purged");
    }
    int all = 0;
    int some;
    do {
      some = table.purge(age, PURGE_BATCH);
      all += some;
    } while (some == PURGE_BATCH && !Thread.currentThread().isInterrupted());
    if (all > 0) {
      int purged = all;
      listeners.tell(listener -> listener.purged(purged));
    }
    return all;
  }

  /**
   * Calls {@link #purge} regularly, on a thread of its own, until what is returned is closed. A
   * failure is logged, and the next purge comes all the same. Several processes may do this on one
   * table.
   */
  public InboxPurge purgeEvery(Duration interval, Duration age) {
    return InboxPurge.start(this, interval, age);
  }

  /** The settings of an inbox. Not safe to share between threads. */
  public static final class Builder {
    private final InboxTable table;
    private final Transactions transactions;
    private final List<InboxListener> listeners = new ArrayList<>();
    private @Nullable InboxCache cache;

    private Builder(InboxTable table, Transactions transactions) {
      this.table = requireNonNull(table, "table");
      this.transactions = requireNonNull(transactions, "transactions");
    }

    /** Adds a listener. */
    public Builder listener(InboxListener listener) {
      listeners.add(requireNonNull(listener, "listener"));
      return this;
    }

    /** Asks this cache before the database. Without one, the database is asked for each message. */
    public Builder cache(InboxCache cache) {
      this.cache = requireNonNull(cache, "cache");
      return this;
    }

    /**
     * Touches no database.
     *
     * @throws ConfigurationException if the transactions are on another data source than the table
     */
    public Inbox build() {
      table
          .problemWith(transactions)
          .ifPresent(
              problem -> {
                throw new ConfigurationException(List.of(problem));
              });
      return new Inbox(this);
    }
  }
}
