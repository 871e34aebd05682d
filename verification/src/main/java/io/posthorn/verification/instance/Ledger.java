/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import io.posthorn.Delivery;
import io.posthorn.Outbox;
import io.posthorn.spi.Transactions;
import io.posthorn.verification.history.Nature;
import io.posthorn.verification.history.Receiver;
import io.posthorn.verification.history.Sent;
import io.posthorn.verification.history.TruthLog;
import io.posthorn.verification.instance.MessageMix.Draft;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * The effects of transactional handlers, in the transaction that settles the message: a row, and
 * now and then a message of their own.
 */
final class Ledger {
  private static final int MESSAGE_FOR_EACH = 4;

  private final Transactions transactions;
  private final Supplier<Outbox> outbox;
  private final TruthLog truth;

  /**
   * @param outbox asked when it is needed: handlers are made before it
   */
  Ledger(Transactions transactions, Supplier<Outbox> outbox, TruthLog truth) {
    this.transactions = transactions;
    this.outbox = outbox;
    this.truth = truth;
  }

  Connection book(Delivery delivery) throws SQLException {
    Connection connection = transactions.current().unwrap(Connection.class);
    UUID id = delivery.messageId();
    ChaosTables.insertEffect(connection, delivery.handler(), id);
    int hash = id.hashCode();
    if (hash % MESSAGE_FOR_EACH == 0) {
      publish(connection, "c" + Math.floorMod(hash / MESSAGE_FOR_EACH, ChaosTables.CHILD_KEYS));
    }
    return connection;
  }

  /** Of a type that no transactional handler takes, so that there is an end. */
  private void publish(Connection connection, String key) throws SQLException {
    long transaction = truth.begin();
    Draft draft = new Draft(Receiver.NOTE, Nature.PLAIN, new byte[] {1}, 0, 0, 0);
    Sent sent = new Publications(outbox.get(), truth).publish(connection, key, draft);
    truth.asked(transaction, List.of(sent));
    truth.leftToRelay(transaction);
  }
}
