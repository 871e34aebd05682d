/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import io.posthorn.PosthornException;
import io.posthorn.PublishException;
import io.posthorn.jdbc.InboxTable;
import io.posthorn.spi.Transaction;
import io.posthorn.spi.Transaction.Savepoint;
import io.posthorn.spi.Transactions;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** Records messages and runs what is to be done for them, in one transaction. */
final class Once {
  private final InboxTable table;
  private final Transactions transactions;
  private final Known known;
  private final Listeners listeners;

  /** What is done for the messages that are new. */
  interface Body<T, E extends Exception> {
    T with(Set<String> added) throws E;
  }

  /** What the body threw, on its way through the transaction. */
  private static final class Failed extends Exception {
    private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial") // it never leaves this class
    private final Set<String> added;

    private final Throwable thrown;

    Failed(Throwable thrown, Set<String> added) {
      super(null, thrown, false, false);
      this.thrown = thrown;
      this.added = added;
    }
  }

  Once(InboxTable table, Transactions transactions, Known known, Listeners listeners) {
    this.table = table;
    this.transactions = transactions;
    this.known = known;
    this.listeners = listeners;
  }

  /** Empty if none of the messages is new. */
  <T, E extends Exception> Optional<T> call(
      String consumer, Collection<String> ids, Body<T, E> body) throws E {
    Optional<Transaction> active = active(consumer, ids);
    try {
      return active.isPresent()
          ? inCallersTransaction(active.get(), consumer, ids, body)
          : inOwnTransaction(consumer, ids, body);
    } catch (Failed e) {
      throw Once.<E>asThrown(e.thrown);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new PosthornException(
          "%s not handled, the transaction was not committed: %s"
              .formatted(named(consumer, ids), e.getMessage()),
          e);
    }
  }

  private Optional<Transaction> active(String consumer, Collection<String> ids) {
    Optional<Transaction> active;
    try {
      active =
          transactions.canBegin() ? transactions.active() : Optional.of(transactions.current());
    } catch (PublishException e) {
      throw new PosthornException(
          "%s not handled, since the caller's transaction cannot be used: %s"
              .formatted(named(consumer, ids), e.getMessage()),
          e);
    }
    if (active.isPresent() && !active.get().acceptsWrites()) {
      throw new PosthornException(
          "%s not handled: the caller's transaction has ended. Handle messages before the commit, or in a transaction of their own"
              .formatted(named(consumer, ids)));
    }
    return active;
  }

  boolean joinsTransaction() {
    try {
      return transactions.active().isPresent();
    } catch (PublishException e) {
      return false; // one that has nothing to do with this inbox, or that a call will refuse
    }
  }

  private static String named(String consumer, Collection<String> ids) {
    String first = ids.iterator().next();
    return ids.size() == 1
        ? "Message \"%s\" for \"%s\"".formatted(first, consumer)
        : "%d messages from \"%s\" on for \"%s\"".formatted(ids.size(), first, consumer);
  }

  private <T, E extends Exception> Optional<T> inOwnTransaction(
      String consumer, Collection<String> ids, Body<T, E> body) throws Exception {
    AtomicBoolean begun = new AtomicBoolean();
    try {
      return transactions.inTransaction(
          () -> {
            begun.set(true);
            return inTransaction(transactions.current(), consumer, ids, body);
          });
    } finally {
      if (!begun.get()) {
        listeners.tell(consumer, ids.size(), InboxListener::failed);
      }
    }
  }

  /** Whoever catches a failure may still commit: nothing must be left of the message. */
  private <T, E extends Exception> Optional<T> inCallersTransaction(
      Transaction transaction, String consumer, Collection<String> ids, Body<T, E> body)
      throws Failed {
    LeftRows left = LeftRows.in(transaction, this);
    left.remove(); // before the same messages are recorded again
    Optional<Savepoint> savepoint = transaction.setSavepoint();
    Optional<T> result;
    try {
      result = inTransaction(transaction, consumer, ids, body);
    } catch (Failed e) {
      Runnable remove = () -> table.remove(transaction, consumer, e.added);
      left.unless(savepoint.<Runnable>map(set -> set::rollBack).orElse(remove), remove, e.thrown);
      throw e;
    } catch (RuntimeException e) {
      // Some of several messages may be recorded, and those of others are not to be told from them.
      Runnable refuse = LeftRows.refuseCommit(e);
      savepoint.ifPresentOrElse(
          set -> left.unless(set::rollBack, refuse, e), () -> left.later(refuse));
      throw e;
    }
    savepoint.ifPresent(Savepoint::release);
    return result;
  }

  private <T, E extends Exception> Optional<T> inTransaction(
      Transaction transaction, String consumer, Collection<String> ids, Body<T, E> body)
      throws Failed {
    Set<String> added = add(transaction, consumer, ids);
    listeners.tell(consumer, ids.size() - added.size(), InboxListener::duplicate);
    if (added.isEmpty()) {
      return Optional.empty();
    }
    T result;
    try {
      result = body.with(added);
    } catch (Throwable e) {
      listeners.tell(consumer, added.size(), InboxListener::failed);
      throw new Failed(e, added);
    }
    Handled.in(transaction, this, known, listeners).add(consumer, added);
    return Optional.of(result);
  }

  private Set<String> add(Transaction transaction, String consumer, Collection<String> ids) {
    try {
      return table.add(transaction, consumer, ids);
    } catch (RuntimeException e) {
      listeners.tell(consumer, ids.size(), InboxListener::failed);
      throw e;
    }
  }

  /** The compiler takes it for what the body declares; unchecked ones pass as well. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Exception> E asThrown(Throwable thrown) throws E {
    if (thrown instanceof Error error) {
      throw error;
    }
    throw (E) thrown;
  }
}
