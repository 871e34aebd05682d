/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.shop;

import io.posthorn.DestinationDownException;
import io.posthorn.spring.OutboxHandler;
import io.posthorn.spring.OutboxRetryable;
import org.springframework.stereotype.Component;

/** Confirms orders. */
@Component
class Mailer {
  private final Orders orders;
  private final MailServer server;

  Mailer(Orders orders, MailServer server) {
    this.orders = orders;
    this.server = server;
  }

  // docs:begin
  @OutboxHandler(name = "mailer")
  @OutboxRetryable(maxAttempts = 5, delay = "1s", noRetryOn = MailServer.BadAddress.class)
  void confirm(OrderPlaced placed) {
    Order order = orders.findById(placed.orderId()).orElseThrow();
    try {
      server.send(order.email(), "Thank you for ordering " + order.item());
    } catch (MailServer.NoAnswer e) {
      throw new DestinationDownException("the mail server is down", e);
    }
  }
  // docs:end
}
