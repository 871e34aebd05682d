/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.example.orders;

import io.posthorn.spring.OutboxHandler;
import org.springframework.stereotype.Component;

/** The simplest handler. */
// docs:begin
@Component
class Mailer {
  @OutboxHandler(type = "order-placed", name = "mailer")
  void send(Order order) {
    System.out.println("mail to " + order.customer());
  }
}
// docs:end
