/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.example.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Posthorn;
import io.posthorn.boot.Shop;
import io.posthorn.test.DeliveryLog;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

class EventsApplicationTest {
  @Test
  void anEventIsDeliveredWithTheKeyAndTheHeadersOfItsClass() {
    UUID id = UUID.randomUUID();
    try (ConfigurableApplicationContext context =
        Shop.start(new String[0], EventsApplication.class, DeliveryLog.class)) {
      context.getBean(Orders.class).place(id, Region.SOUTH);

      assertThat(context.getBean(Posthorn.class).relay().awaitIdle(Duration.ofSeconds(20)))
          .isTrue();
      assertThat(context.getBean(DeliveryLog.class).delivered())
          .singleElement()
          .satisfies(
              delivery -> {
                assertThat(delivery.key()).isEqualTo(id.toString());
                assertThat(delivery.headers())
                    .containsEntry("region", "SOUTH")
                    .containsEntry("source", "web");
              });
    }
  }
}
