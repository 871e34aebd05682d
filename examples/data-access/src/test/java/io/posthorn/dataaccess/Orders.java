/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dataaccess;

import io.posthorn.Outbox;
import io.posthorn.spi.Transactions;

/** An application's orders, each with a message, in one transaction. */
interface Orders extends AutoCloseable {
  String TYPE = "order-placed";

  /** What else happens in the transaction; may fail. */
  interface Payment {
    void charge() throws Exception;
  }

  /** How the outbox takes part in these transactions. */
  Transactions transactions();

  /**
   * Inserts an order and publishes a message with its id as the key.
   *
   * @throws Exception of the payment, as it is: the transaction was rolled back
   */
  void place(Outbox outbox, long id, Payment payment) throws Exception;

  @Override
  default void close() {}
}
