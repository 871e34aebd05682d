/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.example.events;

import io.posthorn.spring.OutboxHandler;
import org.springframework.stereotype.Component;

/** Counts orders by region. */
@Component
class Statistics {
  @OutboxHandler(name = "statistics")
  void count(OrderPlaced placed) {
    System.out.println("one more from the " + placed.region());
  }
}
