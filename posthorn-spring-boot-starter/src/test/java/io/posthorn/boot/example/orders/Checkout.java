/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.example.orders;

import io.posthorn.spring.OutboxPublish;
import java.util.UUID;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Publishes what its methods return. */
@Service
class Checkout {
  private final OrderTable orders;

  Checkout(OrderTable orders) {
    this.orders = orders;
  }

  record Cart(String customer) {}

  /** As a repository of Spring Data would be. */
  interface OrderTable {
    Order save(Order order);

    void deleteById(UUID id);
  }

  // docs:begin
  @Transactional
  @OutboxPublish(type = "order-placed", key = "#payload.id", headers = "channel=#channel")
  public Order place(Cart cart, String channel) {
    return orders.save(new Order(UUID.randomUUID(), cart.customer()));
  }

  @Transactional
  @OutboxPublish(type = "order-cancelled", payload = "#id", key = "#id")
  public void cancel(UUID id) {
    orders.deleteById(id);
  }
  // docs:end
}
