/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.example.orders;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.Posthorn;
import io.posthorn.boot.Shop;
import io.posthorn.test.DeliveryLog;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

class OrdersApplicationTest {
  private final ConfigurableApplicationContext context =
      Shop.start(new String[0], OrdersApplication.class, DeliveryLog.class);

  @AfterEach
  void close() {
    context.close();
  }

  private List<Delivery> delivered() {
    assertThat(context.getBean(Posthorn.class).relay().awaitIdle(Duration.ofSeconds(20))).isTrue();
    return context.getBean(DeliveryLog.class).delivered();
  }

  @Test
  void anOrderReachesAllHandlers() {
    context.getBean(Orders.class).place(new Order(UUID.randomUUID(), "ada"));

    assertThat(delivered())
        .extracting(Delivery::handler)
        .containsExactlyInAnyOrder("mailer", "packer", "shipping");
  }

  @Test
  void aBadAddressGoesToTheFallbackAtOnce() {
    context.getBean(Orders.class).place(new Order(UUID.randomUUID(), "nobody"));

    assertThat(delivered()).extracting(Delivery::handler).contains("shipping");
    assertThat(context.getBean(DeliveryLog.class).retrying()).isEmpty();
  }

  @Test
  void whatTheCheckoutReturnsIsPublished() {
    Checkout checkout = context.getBean(Checkout.class);
    Order order = checkout.place(new Checkout.Cart("ada"), "phone");
    checkout.cancel(order.id());

    assertThat(delivered())
        .extracting(Delivery::key)
        .hasSize(4)
        .containsOnly(order.id().toString());
    assertThat(delivered())
        .filteredOn(delivery -> delivery.type().equals("order-placed"))
        .allSatisfy(delivery -> assertThat(delivery.headers()).containsEntry("channel", "phone"));
  }
}
