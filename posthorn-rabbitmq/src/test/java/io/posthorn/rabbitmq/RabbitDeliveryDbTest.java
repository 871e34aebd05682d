/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.GetResponse;
import io.posthorn.Delivery;
import io.posthorn.servers.AmqpServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** From the commit to the queue, with a real database and a real broker. */
@Timeout(120)
class RabbitDeliveryDbTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int KEYS = 10;

  private final AmqpServer server = Exchange.broker();
  private final Exchange exchange = Exchange.create();

  private static int number(GetResponse message) {
    return Integer.parseInt(Exchange.text(message));
  }

  /** First arrivals of each key in order, whatever came twice. */
  private static void assertInOrder(List<GetResponse> arrived, int messages) {
    int found = 0;
    for (int key = 0; key < KEYS; key++) {
      int remainder = key;
      List<Integer> first =
          new ArrayList<>(
              new LinkedHashSet<>(
                  arrived.stream()
                      .map(RabbitDeliveryDbTest::number)
                      .filter(number -> number % KEYS == remainder)
                      .toList()));
      assertThat(first).as("key k" + key).isSorted();
      found += first.size();
    }
    assertThat(found).as("different messages in the queue").isEqualTo(messages);
  }

  @Test
  void everyMessageArrivesOnceAndInTheOrderOfItsKey() throws Exception {
    try (RabbitSender sender = RabbitSender.connect(Exchange.factory());
        Orders orders = new Orders(sender, exchange.name())) {
      orders.publish(0, 1_000, KEYS);
      orders.awaitDelivered(1_000);
    }

    List<GetResponse> arrived = exchange.read(1_000, LIMIT);
    assertThat(arrived).hasSize(1_000);
    assertInOrder(arrived, 1_000);
  }

  @Test
  void aBrokerThatRestartsInTheMiddleLosesNothingAndKeepsTheOrder() throws Exception {
    try (RabbitSender sender = RabbitSender.connect(Exchange.factory());
        Orders orders = new Orders(sender, exchange.name())) {
      orders.publish(0, 200, KEYS);
      orders.awaitDelivered(200);
      orders.publish(200, 2_000, KEYS);
      orders.awaitDelivered(300);
      server.stop();
      orders.publish(2_000, 2_300, KEYS);
      Orders.await(
          () -> orders.log().circuits().contains("rabbit opened"), () -> "the circuit is closed");
      server.start();
      long back = System.nanoTime();
      int before = orders.log().delivered().size();
      orders.awaitDelivered(before + 1);
      assertThat(Duration.ofNanos(System.nanoTime() - back))
          .as("from the broker's return to the next delivery")
          .isLessThan(Duration.ofSeconds(5));
      orders.awaitDelivered(2_300);

      assertThat(orders.log().delivered()).extracting(Delivery::attempt).containsOnly(1);
      assertThat(orders.log().retrying()).isEmpty();
      assertThat(orders.log().dead()).isEmpty();
      assertThat(orders.log().circuits()).endsWith("rabbit closed");
    }
    List<GetResponse> arrived = exchange.read(2_300, LIMIT);
    assertInOrder(arrived, 2_300);
    assertThat(arrived)
        .as("confirmed before the outage")
        .filteredOn(message -> number(message) < 200)
        .hasSize(200);
  }
}
