/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.posthorn.MessageHeaders;
import io.posthorn.Outbox;
import io.posthorn.boot.Shop.Order;
import io.posthorn.servers.RabbitServer;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionTemplate;

/** The stand-in for RabbitMQ is for the sender's own tests; here it is what users have, or none. */
@EnabledIf("io.posthorn.servers.RabbitServer#installed")
class RabbitRoutesTest {
  private static RabbitServer rabbit;

  @BeforeAll
  static void startRabbit() {
    rabbit = new RabbitServer();
    rabbit.start();
  }

  @AfterAll
  static void stopRabbit() {
    rabbit.close();
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Publisher {}

  private static GetResponse next(Channel channel, String queue) throws Exception {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (System.nanoTime() < end) {
      GetResponse message = channel.basicGet(queue, true);
      if (message != null) {
        return message;
      }
    }
    throw new AssertionError("nothing arrived in " + queue);
  }

  @Test
  void aTypeGoesToAnExchangeOnTheApplicationsOwnConnectionAlsoAfterARestartOfTheBroker()
      throws Exception {
    ConnectionFactory direct = new ConnectionFactory();
    direct.setUri(rabbit.uri());
    onChannel(
        direct,
        channel -> {
          channel.exchangeDeclare("orders", "topic", true);
          channel.queueDeclare("eu-orders", true, false, false, null);
          channel.queueBind("eu-orders", "orders", "order-placed.eu");
        });
    try (ConfigurableApplicationContext context =
        Shop.start(
            new String[] {
              "spring.rabbitmq.addresses=" + URI.create(rabbit.uri()),
              "posthorn.routes.order-placed.exchange=orders",
              "posthorn.routes.order-placed.routing-key={type}.eu"
            },
            Publisher.class)) {
      publish(context, new Order("7", 5));
      onChannel(direct, channel -> assertOrder(next(channel, "eu-orders"), "7"));

      rabbit.stop();
      publish(context, new Order("8", 5));
      rabbit.start();
      onChannel(direct, channel -> assertOrder(next(channel, "eu-orders"), "8"));
    }
  }

  /** Does something with a channel. */
  @FunctionalInterface
  private interface Action {
    void on(Channel channel) throws Exception;
  }

  private static void onChannel(ConnectionFactory factory, Action action) throws Exception {
    try (Connection connection = factory.newConnection();
        Channel channel = connection.createChannel()) {
      action.on(channel);
    }
  }

  private static void publish(ConfigurableApplicationContext context, Order order) {
    Outbox outbox = context.getBean(Outbox.class);
    context
        .getBean(TransactionTemplate.class)
        .executeWithoutResult(status -> outbox.publish(order));
  }

  private static void assertOrder(GetResponse message, String id) {
    assertThat(new String(message.getBody(), UTF_8))
        .isEqualTo("{\"id\":\"%s\",\"amount\":5}".formatted(id));
    assertThat(message.getProps().getType()).isEqualTo("order-placed");
    assertThat(message.getProps().getHeaders()).containsKey(MessageHeaders.ID);
  }
}
