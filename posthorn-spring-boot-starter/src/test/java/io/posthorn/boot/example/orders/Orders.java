/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.example.orders;

import io.posthorn.Message;
import io.posthorn.Outbox;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Publishes in the transaction that writes. */
// docs:begin
@Service
class Orders {
  private final Outbox outbox;

  Orders(Outbox outbox) {
    this.outbox = outbox;
  }

  @Transactional
  public void place(Order order) {
    // write the order to its table
    outbox.publish(Message.of("order-placed").key(order.customer()).payload(order).build());
  }
}
// docs:end
