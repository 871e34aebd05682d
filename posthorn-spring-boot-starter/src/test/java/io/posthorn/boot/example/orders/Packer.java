/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.example.orders;

import io.posthorn.Delivery;
import io.posthorn.spring.OutboxHandler;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** Looks at more than the payload. */
@Component
class Packer {
  // docs:begin
  @OutboxHandler(type = "order-placed", name = "packer")
  void pack(Order order, Delivery delivery) {
    System.out.println("pack " + order.id() + ", attempt " + delivery.attempt());
  }

  // docs:end

  @OutboxHandler(type = "order-cancelled", name = "unpacker")
  void unpack(UUID id) {
    System.out.println("unpack " + id);
  }
}
