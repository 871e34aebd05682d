/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test.example;

import io.posthorn.spring.OutboxHandler;
import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Component;

/** Fails when a test says so. */
@Component
class MailServer {
  final List<String> sent = new ArrayList<>();
  boolean fails;

  @OutboxHandler(name = "mailer")
  void mail(OrderPlaced order) {
    if (fails) {
      throw new IllegalStateException("too many mails");
    }
    sent.add(order.customer());
  }
}
