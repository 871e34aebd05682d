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
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
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
  void aTypeGoesToAnExchangeOnTheApplicationsOwnConnection() throws Exception {
    ConnectionFactory direct = new ConnectionFactory();
    direct.setUri(rabbit.uri());
    try (Connection connection = direct.newConnection();
        Channel channel = connection.createChannel()) {
      channel.exchangeDeclare("orders", "topic", true);
      channel.queueDeclare("eu-orders", true, false, false, null);
      channel.queueBind("eu-orders", "orders", "order-placed.eu");
      try (ConfigurableApplicationContext context =
          Shop.start(
              new String[] {
                "spring.rabbitmq.addresses=" + URI.create(rabbit.uri()),
                "posthorn.routes.order-placed.exchange=orders",
                "posthorn.routes.order-placed.routing-key={type}.eu"
              },
              Publisher.class)) {
        Outbox outbox = context.getBean(Outbox.class);
        context
            .getBean(TransactionTemplate.class)
            .executeWithoutResult(status -> outbox.publish(new Order("7", 5)));

        GetResponse message = next(channel, "eu-orders");

        assertThat(new String(message.getBody(), UTF_8)).isEqualTo("{\"id\":\"7\",\"amount\":5}");
        assertThat(message.getProps().getType()).isEqualTo("order-placed");
        assertThat(message.getProps().getHeaders()).containsKey(MessageHeaders.ID);
        assertThat(context.getBean(CachingConnectionFactory.class).getCacheProperties())
            .as("the application's connection is in use")
            .isNotEmpty();
      }
    }
  }
}
