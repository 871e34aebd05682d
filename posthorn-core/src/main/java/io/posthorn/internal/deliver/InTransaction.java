/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.Delivery;
import io.posthorn.DeliveryResult;
import io.posthorn.DestinationDownException;
import io.posthorn.HandlerSpec;
import io.posthorn.RelayOptions;
import io.posthorn.internal.memory.LaneEntry;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.Transaction;
import io.posthorn.spi.Transactions;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Delivers a message and settles it in one transaction. If the answer to the commit is lost, the
 * message is delivered once more; its row then tells whether the first commit had worked, and if so
 * the second transaction is rolled back.
 */
final class InTransaction {
  private static final Logger LOGGER = System.getLogger("io.posthorn.relay");

  private final Transactions transactions;
  private final MessageStore store;
  private final Invoker invoker;
  private final boolean keepHistory;
  private final Duration limit;

  InTransaction(
      Transactions transactions, MessageStore store, Invoker invoker, RelayOptions options) {
    this.transactions = transactions;
    this.store = store;
    this.invoker = invoker;
    this.keepHistory = !options.retention().isZero();
    this.limit = options.leaseDuration().dividedBy(2);
  }

  /** Where the outcome of a delivery is. */
  enum Place {
    /** Nowhere yet. */
    MEMORY,
    /** In the tables. */
    STORE,
    /** Nowhere: the row was taken away meanwhile, and what the handler did was rolled back. */
    ROW_GONE,
    /** Nowhere: the relay has been expelled, and what the handler did was rolled back. */
    EXPELLED
  }

  /**
   * What came of it.
   *
   * @param answer null if nothing counts: the row is gone, or the relay was expelled
   */
  record Ended<P>(@Nullable Answer<P> answer, Place place) {}

  /** Rolls the transaction back; what it ended with is known. */
  private static final class RollBack extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RollBack() {
      super("roll back", null, false, false);
    }
  }

  /** One delivery. */
  private final class Attempt<P> {
    private final HandlerSpec<P> spec;
    private final LaneEntry entry;
    private final Delivery delivery;
    private @Nullable Answer<P> answer;
    private MessageStore.@Nullable Settled settled;
    private boolean committing;

    Attempt(HandlerSpec<P> spec, LaneEntry entry, Delivery delivery) {
      this.spec = spec;
      this.entry = entry;
      this.delivery = delivery;
    }

    Ended<P> run() {
      try {
        transactions.inTransaction(this::deliverAndSettle);
        return new Ended<>(answer, Place.STORE);
      } catch (RollBack e) {
        return rolledBack();
      } catch (Throwable e) { // a worker must outlive whatever callbacks before the commit throw
        return new Ended<>(notCommitted(e), Place.MEMORY);
      }
    }

    private boolean deliverAndSettle() {
      Answer<P> given = invoker.call(spec, delivery);
      answer = given;
      if (given.done()) {
        boolean kept = keepHistory && given.result() instanceof DeliveryResult.Delivered;
        Transaction transaction = transactions.current();
        settled = store.settle(transaction, entry.owner(), entry.settlement(kept), limit);
        transaction.beforeCommit(() -> committing = true);
      }
      if (settled != MessageStore.Settled.DONE) {
        throw new RollBack();
      }
      return true;
    }

    private Ended<P> rolledBack() {
      if (settled == MessageStore.Settled.EXPELLED) {
        return new Ended<>(null, Place.EXPELLED);
      }
      if (settled != MessageStore.Settled.GONE) {
        return new Ended<>(classified(), Place.MEMORY);
      }
      if (entry.isCommitInDoubt()) {
        return new Ended<>(answer, Place.STORE);
      }
      LOGGER.log(
          Level.DEBUG, () -> delivery + " was rolled back: its row was taken away meanwhile");
      return new Ended<>(null, Place.ROW_GONE);
    }

    /** The handler's own failure, or its decision not to be done. */
    private @Nullable Answer<P> classified() {
      Answer<P> given = answer;
      Throwable failure = given == null ? null : given.failure();
      return failure == null ? given : Answer.failed(payload(), cause(failure));
    }

    private Answer<P> notCommitted(Throwable e) {
      if (committing && store.kindOf(e) != StoreException.Kind.CONTENT) {
        entry.doubtCommit(); // what the database refused was surely not committed
      }
      return Answer.failed(payload(), cause(e));
    }

    private @Nullable P payload() {
      Answer<P> given = answer;
      return given == null ? null : given.payload();
    }
  }

  <P> Ended<P> deliver(HandlerSpec<P> spec, LaneEntry entry, Delivery delivery) {
    return new Attempt<>(spec, entry, delivery).run();
  }

  /** Without its database no message can be delivered, so it costs this one no attempt. */
  private Throwable cause(Throwable e) {
    return store.kindOf(e) == StoreException.Kind.UNAVAILABLE
        ? new DestinationDownException("the handler's transaction found no database", e)
        : e;
  }
}
