/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.shop;

import io.posthorn.Outbox;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Takes orders. */
@Service
class OrderService {
  private final Orders orders;
  private final Outbox outbox;

  OrderService(Orders orders, Outbox outbox) {
    this.orders = orders;
    this.outbox = outbox;
  }

  @Transactional
  public UUID place(String item, String email) {
    Order order = orders.save(new Order(item, email));
    outbox.publish(new OrderPlaced(order.id()));
    return order.id();
  }

  /**
   * @return false if there is no such order
   */
  @Transactional
  public boolean correctEmail(UUID id, String email) {
    Optional<Order> order = orders.findById(id);
    order.ifPresent(found -> found.correctEmail(email));
    return order.isPresent();
  }
}
