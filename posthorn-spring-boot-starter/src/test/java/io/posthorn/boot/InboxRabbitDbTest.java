/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.Channel;
import io.posthorn.boot.DrawnMessages.Drawn;
import io.posthorn.boot.DrawnMessages.Failure;
import io.posthorn.inbox.Inbox;
import io.posthorn.jdbc.InboxTable;
import io.posthorn.servers.PostgresServer;
import io.posthorn.servers.RabbitServer;
import io.posthorn.spring.OnceOnly;
import io.posthorn.spring.OnceOnlyPostProcessor;
import io.posthorn.spring.SpringTransactions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** As {@link InboxKafkaDbTest}; what is put aside is in the queue of dead letters. */
@EnabledIf("io.posthorn.servers.RabbitServer#installed")
class InboxRabbitDbTest {
  private static final String CONSUMER = "warehouse";
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
    return LongStream.range(0, Integer.getInteger("posthorn.inbox.seeds", 6));
  }

  /** How messages get to the listener. */
  record Setting(Class<? extends Listener> listener, int most) {
    static Setting draw(Random random) {
      List<Class<? extends Listener>> listeners =
          List.of(One.class, OneManual.class, Each.class, EachManual.class);
      return new Setting(listeners.get(random.nextInt(listeners.size())), 1 + random.nextInt(8));
    }

    boolean batch() {
      return !listener.getSimpleName().startsWith("One");
    }
  }

  /** What all listeners do with what they get. */
  abstract static class Listener {
    private final DrawnMessages messages;

    Listener(DrawnMessages messages) {
      this.messages = messages;
    }

    void handle(Message message) {
      Failure failure = messages.handle(new String(message.getBody(), UTF_8));
      if (failure != null) {
        messages.fail(failure);
      }
    }

    /** Refused ones go to the dead letters. */
    void settle(Message message, Channel channel) throws IOException {
      long tag = message.getMessageProperties().getDeliveryTag();
      if (messages.handle(new String(message.getBody(), UTF_8)) == null) {
        channel.basicAck(tag, false);
      } else {
        channel.basicReject(tag, false);
      }
    }
  }

  static class One extends Listener {
    One(DrawnMessages messages) {
      super(messages);
    }

    @OnceOnly(consumer = CONSUMER)
    @RabbitListener(queues = "${queue}")
    @Transactional
    public void on(Message message) {
      handle(message);
    }
  }

  static class OneManual extends Listener {
    OneManual(DrawnMessages messages) {
      super(messages);
    }

    @OnceOnly(consumer = CONSUMER)
    @RabbitListener(queues = "${queue}", ackMode = "MANUAL")
    @Transactional
    public void on(Message message, Channel channel) throws IOException {
      settle(message, channel);
    }
  }

  static class Each extends Listener {
    Each(DrawnMessages messages) {
      super(messages);
    }

    @OnceOnly(consumer = CONSUMER)
    @RabbitListener(queues = "${queue}", batch = "true")
    public void on(List<Message> received) {
      received.forEach(this::handle);
    }
  }

  static class EachManual extends Listener {
    EachManual(DrawnMessages messages) {
      super(messages);
    }

    @OnceOnly(consumer = CONSUMER)
    @RabbitListener(queues = "${queue}", batch = "true", ackMode = "MANUAL")
    @Transactional
    public void on(List<Message> received, Channel channel) throws IOException {
      for (Message message : received) {
        settle(message, channel);
      }
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableRabbit
  @EnableTransactionManagement(proxyTargetClass = true)
  static class Application {
    @Bean
    static OnceOnlyPostProcessor onceOnly() {
      return new OnceOnlyPostProcessor();
    }

    @Bean
    DataSourceTransactionManager transactionManager(DataSource dataSource) {
      return new DataSourceTransactionManager(dataSource);
    }

    @Bean
    Inbox inbox(DataSource dataSource, PlatformTransactionManager manager) {
      return Inbox.on(
          InboxTable.builder(dataSource).createTables(true).build(),
          SpringTransactions.on(dataSource, manager));
    }

    @Bean
    SimpleRabbitListenerContainerFactory rabbitListenerContainerFactory(
        CachingConnectionFactory connections, Setting setting) {
      var factory = new SimpleRabbitListenerContainerFactory();
      factory.setConnectionFactory(connections);
      factory.setAcknowledgeMode(AcknowledgeMode.AUTO);
      factory.setDefaultRequeueRejected(false);
      factory.setPrefetchCount(setting.most);
      factory.setReceiveTimeout(20L);
      if (setting.batch()) {
        factory.setBatchListener(true);
        factory.setConsumerBatchEnabled(true);
        factory.setBatchSize(setting.most);
      }
      return factory;
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void eachMessageHasOneEffectOrIsADeadLetter(long seed) {
    Random random = new Random(seed);
    Setting setting = Setting.draw(random);
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(PostgresServer.shared().freshDatabase());
    DrawnMessages messages =
        new DrawnMessages(
            random,
            new JdbcTemplate(dataSource),
            List.of(
                setting.listener.getSimpleName().contains("Manual")
                    ? Failure.REFUSED
                    : Failure.PLAIN));
    String queue = "orders-" + seed;
    CachingConnectionFactory connections =
        new CachingConnectionFactory(java.net.URI.create(rabbit.uri()));
    RabbitTemplate template = new RabbitTemplate(connections);
    declare(template, queue);
    messages.stream().forEach(message -> send(template, queue, message));
    try (var context = new AnnotationConfigApplicationContext()) {
      context
          .getEnvironment()
          .getPropertySources()
          .addFirst(new MapPropertySource("test", Map.of("queue", queue)));
      context.registerBean("dataSource", DataSource.class, () -> dataSource);
      context.registerBean(Setting.class, () -> setting);
      context.registerBean(DrawnMessages.class, () -> messages);
      context.registerBean(CachingConnectionFactory.class, () -> connections);
      context.register(Application.class, setting.listener);
      context.refresh();
      awaitEmpty(context.getBean(RabbitListenerEndpointRegistry.class), template, queue, messages);
      readDeadLetters(template, queue, messages);
    } catch (AssertionError e) {
      throw new AssertionError(
          "seed %d with %s: %s of %s".formatted(seed, setting, e.getMessage(), messages), e);
    } finally {
      connections.destroy();
    }
    try {
      messages.check(!setting.batch());
    } catch (AssertionError e) {
      throw new AssertionError("seed %d with %s: %s".formatted(seed, setting, e.getMessage()), e);
    }
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
    throw new AssertionError("messages did not arrive, or were never acknowledged");
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
