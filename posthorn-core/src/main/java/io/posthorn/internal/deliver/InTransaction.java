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
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Delivers a message and settles it in one transaction. If the answer to the commit is lost, the
 * message is delivered once more; its row then tells whether the first commit had worked, and if so
 * the second transaction is rolled back.
 */
final class InTransaction {
  private final Transactions transactions;
  private final MessageStore store;
  private final Invoker invoker;
  private final boolean keepHistory;

  /**
   * @param keepHistory whether delivered messages go to the history
   */
  InTransaction(
      Transactions transactions, MessageStore store, Invoker invoker, boolean keepHistory) {
    this.keepHistory = keepHistory;
    this.transactions = transactions;
    this.store = store;
    this.invoker = invoker;
  }

  /**
   * What came of it.
   *
   * @param answer null if the relay has been expelled, so that nothing happened
   * @param stored whether the outcome is in the tables
   */
  record Ended<P>(@Nullable Answer<P> answer, boolean stored) {}

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

    Attempt(HandlerSpec<P> spec, LaneEntry entry, Delivery delivery) {
      this.spec = spec;
      this.entry = entry;
      this.delivery = delivery;
    }

    Ended<P> run() {
      try {
        transactions.inTransaction(this::deliverAndSettle);
        return new Ended<>(answer, true);
      } catch (RollBack e) {
        return rolledBack();
      } catch (Exception e) {
        return new Ended<>(Answer.failed(payload(), cause(e)), false);
      }
    }

    private boolean deliverAndSettle() {
      Answer<P> given = invoker.call(spec, delivery);
      answer = given;
      if (given.done()) {
        boolean kept = keepHistory && given.result() instanceof DeliveryResult.Delivered;
        settled = store.settle(transactions.current(), entry.owner(), entry.settlement(kept));
      }
      if (settled != MessageStore.Settled.DONE) {
        throw new RollBack();
      }
      return true;
    }

    private Ended<P> rolledBack() {
      if (settled == MessageStore.Settled.EXPELLED) {
        return new Ended<>(null, false);
      }
      return new Ended<>(answer, settled == MessageStore.Settled.GONE);
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
  private static Throwable cause(Exception e) {
    return e instanceof StoreException failure && !failure.isRefused()
        ? new DestinationDownException("the handler's transaction found no database", e)
        : e;
  }
}
