/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.Delivery;
import io.posthorn.DeliveryResult;
import io.posthorn.DestinationDownException;
import io.posthorn.HandlerSpec;
import io.posthorn.internal.memory.LaneEntry;
import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.MessageStore.Settled;
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
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.relay");
  private static final String NO_DATABASE = "the handler's transaction found no database";

  private final Transactions transactions;
  private final MessageStore store;
  private final Invoker invoker;
  private final boolean keepHistory;
  private final Duration limit;

  InTransaction(Workers.Setting setting, Invoker invoker) {
    this.transactions = setting.transactions();
    this.store = setting.store();
    this.invoker = invoker;
    this.keepHistory = !setting.options().retention().isZero();
    this.limit = setting.options().leaseDuration().dividedBy(2);
  }

  /** Rolls the transaction back; what it ended with is known. */
  private static final class RollBack extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RollBack() {
      super("roll back", null, false, false);
    }
  }

  /** The transaction did not begin, so the handler was not called. */
  static final class NotBegun extends DestinationDownException {
    private static final long serialVersionUID = 1L;

    NotBegun(Throwable cause) {
      super(NO_DATABASE, cause);
    }
  }

  /**
   * The handler was at work when its database was lost; perhaps because it was interrupted, since
   * some drivers then close their connection.
   */
  static final class DatabaseLost extends DestinationDownException {
    private static final long serialVersionUID = 1L;

    DatabaseLost(Throwable cause) {
      super(NO_DATABASE, cause);
    }
  }

  /** One delivery. */
  private final class Try<P> {
    private final LaneEntry entry;
    private Attempt<P> attempt;
    private @Nullable Settled settled;
    private boolean begun;
    private boolean committing;

    Try(HandlerSpec<P> spec, LaneEntry entry, Delivery delivery) {
      this.entry = entry;
      this.attempt = new Attempt<>(spec, delivery, null, null, null, null);
    }

    Attempt<P> run() {
      try {
        transactions.inTransaction(this::deliverAndSettle);
        return attempt.settled(Settled.DONE);
      } catch (RollBack e) {
        return rolledBack();
      } catch (Throwable e) { // a worker must outlive whatever callbacks before the commit throw
        if (committing && store.kindOf(e) != StoreException.Kind.CONTENT) {
          entry.doubtCommit(); // what the database refused was surely not committed
        }
        return attempt.failed(begun ? cause(e) : new NotBegun(e));
      }
    }

    private boolean deliverAndSettle() {
      MessageStore.TransactionMark mark = store.mark(transactions.current());
      begun = true;
      attempt = invoker.call(attempt.spec(), attempt.delivery());
      if (attempt.done()) {
        boolean kept = keepHistory && attempt.result() instanceof DeliveryResult.Delivered;
        Transaction transaction = transactions.current();
        mark.requireOpen();
        settled = store.settle(transaction, entry.owner(), entry.settlement(kept), limit);
        transaction.beforeCommit(() -> committing = true);
      }
      if (settled != Settled.DONE) {
        throw new RollBack();
      }
      return true;
    }

    private Attempt<P> rolledBack() {
      if (settled == null) { // the handler's own failure, or its decision not to be done
        Throwable failure = attempt.failure();
        return failure == null ? attempt : attempt.failed(cause(failure));
      }
      if (settled == Settled.GONE && entry.isCommitInDoubt()) {
        return attempt.settled(Settled.DONE);
      }
      LOGGER.log(Level.DEBUG, () -> attempt.delivery() + " was rolled back: " + settled);
      return attempt.settled(settled);
    }
  }

  <P> Attempt<P> deliver(HandlerSpec<P> spec, LaneEntry entry, Delivery delivery) {
    return new Try<>(spec, entry, delivery).run();
  }

  /** Without its database no message can be delivered, so it costs this one no attempt. */
  private Throwable cause(Throwable e) {
    boolean said = e instanceof DestinationDownException;
    return !said && store.kindOf(e) == StoreException.Kind.UNAVAILABLE ? new DatabaseLost(e) : e;
  }
}
