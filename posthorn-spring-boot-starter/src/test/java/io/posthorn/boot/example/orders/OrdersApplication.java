/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.example.orders;

import java.util.UUID;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** The code of docs/spring.md for orders, so that it compiles and runs. */
@SpringBootApplication(proxyBeanMethods = false)
class OrdersApplication {
  @Bean
  Shipping.Carrier carrier() {
    return order -> {
      if (order.customer().equals("nobody")) {
        throw new Shipping.BadAddress();
      }
    };
  }

  /** Nobody looks into it. */
  @Bean
  Checkout.OrderTable orderTable() {
    return new Checkout.OrderTable() {
      @Override
      public Order save(Order order) {
        return order;
      }

      @Override
      public void deleteById(UUID id) {}
    };
  }
}
