/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.boot.DrawnMessages.Drawn;
import io.posthorn.servers.RabbitServer;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.amqp.rabbit.config.AbstractRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;

/** As {@link InboxKafkaDbTest}; what is put aside is in the queue of dead letters. */
@EnabledIf("io.posthorn.servers.RabbitServer#installed")
class InboxRabbitDbTest {
  private static RabbitServer rabbit;

  @BeforeAll
  static void start() {
    rabbit = new RabbitServer();
    rabbit.start();
  }

  @AfterAll
  static void stop() {
    rabbit.close();
  }

  static LongStream seeds() {
    return InboxApplication.seeds(8);
  }

  @Configuration(proxyBeanMethods = false)
  @EnableRabbit
  static class Listening {
    @Bean
    AbstractRabbitListenerContainerFactory<?> rabbitListenerContainerFactory(
        RabbitTemplate template,
        RabbitInboxSetting setting,
        PlatformTransactionManager manager,
        @Value("${source}-dead") String deadLetters) {
      AbstractRabbitListenerContainerFactory<?> factory =
          setting.factory(manager, template, deadLetters);
      factory.setConnectionFactory(template.getConnectionFactory());
      return factory;
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void eachMessageHasOneEffectOrIsADeadLetter(long seed) throws Exception {
    Random random = new Random(seed);
    RabbitInboxSetting setting = RabbitInboxSetting.draw(random);
    DataSource dataSource = InboxApplication.freshDatabase();
    DrawnMessages messages =
        new DrawnMessages(random, new JdbcTemplate(dataSource), setting.drawing());
    InboxApplication.labelled(
        seed, setting, any -> run("orders-" + seed, setting, dataSource, messages));
  }

  private static void run(
      String queue, RabbitInboxSetting setting, DataSource dataSource, DrawnMessages messages)
      throws Exception {
    CachingConnectionFactory connections = new CachingConnectionFactory(URI.create(rabbit.uri()));
    try {
      RabbitTemplate template = new RabbitTemplate(connections);
      declare(template, queue);
      messages.stream().forEach(message -> send(template, queue, message));
      InboxApplication.run(
          dataSource,
          queue,
          context -> {
            context.registerBean(RabbitInboxSetting.class, () -> setting);
            context.registerBean(DrawnMessages.class, () -> messages);
            context.registerBean(RabbitTemplate.class, () -> template);
            context.register(Listening.class, setting.listener());
          },
          context -> {
            var listeners = context.getBean(RabbitListenerEndpointRegistry.class);
            awaitEmpty(listeners, template, queue, messages);
            readDeadLetters(template, queue, messages);
          });
    } finally {
      connections.destroy();
    }
    messages.check(!setting.batch());
  }

  private static void declare(RabbitTemplate template, String queue) {
    template.execute(
        channel -> {
          channel.queueDeclare(queue + "-dead", true, false, false, null);
          channel.queueDeclare(
              queue,
              true,
              false,
              false,
              Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", queue + "-dead"));
          return null;
        });
  }

  private static void send(RabbitTemplate template, String queue, Drawn message) {
    MessageBuilder built = MessageBuilder.withBody(message.value().getBytes(UTF_8));
    if (message.id() != null) {
      built.setMessageId(message.id());
    }
    template.send(queue, built.build());
  }

  /**
   * Until each message has arrived and nothing is left to be acknowledged: what a listener has not
   * acknowledged when its connection is closed is in the queue again.
   */
  private static void awaitEmpty(
      RabbitListenerEndpointRegistry listeners,
      RabbitTemplate template,
      String queue,
      DrawnMessages messages) {
    long end = System.nanoTime() + Duration.ofSeconds(40).toNanos();
    while (System.nanoTime() < end) {
      readDeadLetters(template, queue, messages);
      if (left(template, queue) == 0 && messages.allArrived()) {
        listeners.stop();
        ((CachingConnectionFactory) template.getConnectionFactory()).resetConnection();
        if (left(template, queue) == 0) {
          return;
        }
        listeners.start();
      }
    }
    throw new AssertionError("messages did not arrive, or were not acknowledged: " + messages);
  }

  private static int left(RabbitTemplate template, String queue) {
    Integer left =
        template.execute(channel -> channel.queueDeclarePassive(queue).getMessageCount());
    return left == null ? -1 : left;
  }

  private static void readDeadLetters(
      RabbitTemplate template, String queue, DrawnMessages messages) {
    Message dead = template.receive(queue + "-dead");
    while (dead != null) {
      messages.putAside(new String(dead.getBody(), UTF_8));
      dead = template.receive(queue + "-dead");
    }
  }
}
