/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.example.orders;

import io.posthorn.Delivery;
import io.posthorn.spring.OutboxFallback;
import io.posthorn.spring.OutboxHandler;
import io.posthorn.spring.OutboxRetryable;
import org.springframework.stereotype.Component;

/** Tries again, and gives up in the end. */
@Component
class Shipping {
  private final Carrier carrier;

  Shipping(Carrier carrier) {
    this.carrier = carrier;
  }

  /** Somebody else's service. */
  interface Carrier {
    void collect(Order order);
  }

  /** Nobody will ever find it. */
  static final class BadAddress extends RuntimeException {
    private static final long serialVersionUID = 1;

    BadAddress() {
      super("there is no such street");
    }
  }

  // docs:begin
  @OutboxRetryable(
      maxAttempts = 5,
      delay = "1s",
      multiplier = 2,
      maxDelay = "1m",
      jitter = 0.2,
      noRetryOn = BadAddress.class)
  @OutboxHandler(type = "order-placed", name = "shipping")
  void ship(Order order) {
    carrier.collect(order);
  }

  @OutboxFallback
  void giveUp(Order order, Delivery delivery, Throwable cause) {
    System.err.println(order + " was not shipped in " + delivery + ": " + cause);
  }
  // docs:end
}
