/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import io.posthorn.ConfigurationException;
import io.posthorn.MessageHeaders;
import io.posthorn.inbox.Inbox;
import io.posthorn.inbox.KafkaMessageId;
import io.posthorn.inbox.MessageIdFunction;
import io.posthorn.jdbc.InboxTable;
import jakarta.enterprise.concurrent.Asynchronous;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareMessageListener;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingConsumerAwareMessageListener;
import org.springframework.messaging.support.GenericMessage;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Listeners are those of Spring Kafka and Spring AMQP; what a broker would do, the test does. */
class OnceOnlyTest {
  private ConfigurableApplicationContext context;

  /** Containers are made and never started. */
  @Configuration(proxyBeanMethods = false)
  @EnableTransactionManagement(proxyTargetClass = true)
  @EnableKafka
  @EnableRabbit
  static class Application {
    /** After those of the listeners, so that only its order puts it before them. */
    @Bean
    static BeanDefinitionRegistryPostProcessor onceOnly() {
      return registry ->
          registry.registerBeanDefinition(
              "onceOnlyPostProcessor", new RootBeanDefinition(OnceOnlyPostProcessor.class));
    }

    @Bean
    DataSource dataSource() {
      JdbcDataSource dataSource = new JdbcDataSource();
      dataSource.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
      new JdbcTemplate(dataSource).execute("CREATE TABLE effect (what varchar(100))");
      return dataSource;
    }

    @Bean
    DataSourceTransactionManager transactionManager(DataSource dataSource) {
      return new DataSourceTransactionManager(dataSource);
    }

    @Bean
    JdbcTemplate jdbc(DataSource dataSource) {
      return new JdbcTemplate(dataSource);
    }

    @Bean
    Inbox inbox(DataSource dataSource, PlatformTransactionManager manager) {
      return Inbox.on(InboxTable.on(dataSource), SpringTransactions.on(dataSource, manager));
    }

    @Bean
    ConcurrentKafkaListenerContainerFactory<String, String> kafkaListenerContainerFactory() {
      var factory = new ConcurrentKafkaListenerContainerFactory<String, String>();
      factory.setConsumerFactory(
          new DefaultKafkaConsumerFactory<>(
              Map.of("bootstrap.servers", "localhost:1", "group.id", "warehouse"),
              new StringDeserializer(),
              new StringDeserializer()));
      factory.setAutoStartup(false);
      return factory;
    }

    @Bean
    SimpleRabbitListenerContainerFactory rabbitListenerContainerFactory() {
      var factory = new SimpleRabbitListenerContainerFactory();
      factory.setConnectionFactory(new CachingConnectionFactory("localhost", 1));
      factory.setAutoStartup(false);
      return factory;
    }

    @Bean
    MessageIdFunction<ConsumerRecord<?, ?>> places() {
      return KafkaMessageId::ofPlace;
    }

    @Bean
    Scales scales() {
      return new Scales();
    }

    @Bean
    Warehouse warehouse() {
      return new Warehouse();
    }
  }

  /** No other advice makes a proxy of it. */
  static class Scales {
    final List<Object> got = new ArrayList<>();

    @OnceOnly(consumer = "kafka")
    @KafkaListener(id = "one", topics = "orders")
    public void one(ConsumerRecord<String, String> record) {
      assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isTrue();
      got.add(record.value());
    }
  }

  static class Warehouse {
    @Autowired JdbcTemplate jdbc;
    final List<Object> got = new ArrayList<>();
    boolean failing;

    private void take(Object message) {
      assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isTrue();
      got.add(message);
      jdbc.update("INSERT INTO effect VALUES (?)", String.valueOf(message));
      if (failing) {
        throw new IllegalStateException("no parcel");
      }
    }

    @OnceOnly(consumer = "batches")
    @KafkaListener(id = "each", topics = "orders", batch = "true")
    @Transactional
    public void each(List<ConsumerRecord<String, String>> records) {
      take(records.stream().map(ConsumerRecord::value).toList());
    }

    @OnceOnly(consumer = "rabbit")
    @RabbitListener(id = "rabbit", queues = "orders")
    public void amqp(Message message) {
      take(new String(message.getBody(), StandardCharsets.UTF_8));
    }

    @OnceOnly(consumer = "${who:anybody}")
    @Transactional
    public String any(String prefix, org.springframework.messaging.Message<String> message) {
      take(prefix + message.getPayload());
      return "done";
    }

    @OnceOnly(consumer = "derived", id = "places")
    public void derived(ConsumerRecord<String, String> record) {
      take(record.value());
    }

    @OnceOnly(consumer = "commits")
    @Transactional(noRollbackFor = IllegalStateException.class)
    public void commits(org.springframework.messaging.Message<String> message) {
      take(message.getPayload());
    }
  }

  private Warehouse start() {
    context = new AnnotationConfigApplicationContext(Application.class);
    return context.getBean(Warehouse.class);
  }

  @AfterEach
  void close() {
    if (context != null) {
      context.close();
    }
  }

  /** The bean is a proxy; what the listener got is in the object behind it. */
  @SuppressWarnings("unchecked")
  private static <T> T behind(T proxy) {
    return (T) AopProxyUtils.getSingletonTarget(proxy);
  }

  private long rows(String table) {
    Long rows =
        context
            .getBean(JdbcTemplate.class)
            .queryForObject("SELECT count(*) FROM " + table, Long.class);
    return rows == null ? -1 : rows;
  }

  private static ConsumerRecord<String, String> record(String id, String value) {
    ConsumerRecord<String, String> record = new ConsumerRecord<>("orders", 0, 7, "k", value);
    record.headers().add(MessageHeaders.ID, id.getBytes(StandardCharsets.UTF_8));
    return record;
  }

  private static org.springframework.messaging.Message<String> message(String id, String text) {
    return new GenericMessage<>(text, Map.of(MessageHeaders.ID, id));
  }

  private Object kafkaListener(String id) {
    return context
        .getBean(KafkaListenerEndpointRegistry.class)
        .getListenerContainer(id)
        .getContainerProperties()
        .getMessageListener();
  }

  @Test
  @SuppressWarnings("unchecked")
  void aKafkaListenerGetsARecordOnce() {
    start();
    Scales scales = behind(context.getBean(Scales.class));
    var listener = (AcknowledgingConsumerAwareMessageListener<String, String>) kafkaListener("one");

    listener.onMessage(record("m-1", "first"), null, null);
    listener.onMessage(record("m-1", "again"), null, null);
    listener.onMessage(record("m-2", "second"), null, null);

    assertThat(scales.got).containsExactly("first", "second");
    assertThat(rows("inbox_message")).isEqualTo(2);
  }

  @Test
  @SuppressWarnings("unchecked")
  void aBatchListenerGetsWhatIsNew() {
    Warehouse warehouse = behind(start());
    var listener =
        (BatchAcknowledgingConsumerAwareMessageListener<String, String>) kafkaListener("each");

    listener.onMessage(List.of(record("m-2", "b"), record("m-1", "a")), null, null);
    listener.onMessage(
        List.of(record("m-3", "c"), record("m-1", "again"), record("m-0", "d")), null, null);
    listener.onMessage(List.of(record("m-3", "again")), null, null);

    assertThat(warehouse.got).containsExactly(List.of("b", "a"), List.of("c", "d"));
  }

  @Test
  void aRabbitListenerGetsAMessageOnce() throws Exception {
    Warehouse warehouse = behind(start());
    var container =
        (AbstractMessageListenerContainer)
            context.getBean(RabbitListenerEndpointRegistry.class).getListenerContainer("rabbit");
    var listener = (ChannelAwareMessageListener) container.getMessageListener();
    Message message = MessageBuilder.withBody(new byte[] {'x'}).setMessageId("m-1").build();

    listener.onMessage(message, null);
    listener.onMessage(message, null);

    assertThat(warehouse.got).containsExactly("x");
  }

  @Test
  void anyMethodHandlesAMessageOnce() {
    Warehouse warehouse = start();

    assertThat(warehouse.any("x-", message("m-1", "a"))).isEqualTo("done");
    assertThat(warehouse.any("x-", message("m-1", "a"))).isNull();

    assertThat(behind(warehouse).got).containsExactly("x-a");
    assertThat(
            context
                .getBean(JdbcTemplate.class)
                .queryForObject("SELECT consumer FROM inbox_message", String.class))
        .isEqualTo("anybody");
  }

  @Test
  void aFailureRollsBothBack() {
    Warehouse warehouse = start();
    behind(warehouse).failing = true;

    assertThatThrownBy(() -> warehouse.any("", message("m-1", "a"))).hasMessage("no parcel");
    assertThat(rows("inbox_message")).isZero();
    assertThat(rows("effect")).isZero();

    behind(warehouse).failing = false;
    assertThat(warehouse.any("", message("m-1", "a"))).isEqualTo("done");
  }

  // The transaction is there before the message is recorded: the inbox begins none of its own.
  @Test
  void aFailureThatIsCommittedLeavesNothingOfTheMessage() {
    Warehouse warehouse = start();
    behind(warehouse).failing = true;

    assertThatThrownBy(() -> warehouse.commits(message("m-1", "a"))).hasMessage("no parcel");

    assertThat(rows("effect")).isZero();
    assertThat(rows("inbox_message")).isZero();
  }

  /** As Kafka Streams makes them: several from one, all with its headers. */
  @Test
  void recordsWithACopiedIdAreToldApartByAFunction() {
    Warehouse warehouse = start();
    ConsumerRecord<String, String> first = record("m-1", "half");
    ConsumerRecord<String, String> second = new ConsumerRecord<>("orders", 0, 8, "k", "other half");
    first.headers().forEach(second.headers()::add);

    warehouse.derived(first);
    warehouse.derived(second);
    warehouse.derived(first);

    assertThat(behind(warehouse).got).containsExactly("half", "other half");
  }

  static class NoMessage {
    @OnceOnly(consumer = "x")
    public void on(String text) {}
  }

  static class LaterMessage {
    @OnceOnly(consumer = "x")
    public CompletableFuture<String> on(ConsumerRecord<String, String> record) {
      return CompletableFuture.completedFuture(record.value());
    }
  }

  static class FinalMethod {
    @OnceOnly(consumer = "x")
    public final void on(ConsumerRecord<String, String> record) {}
  }

  static class TwoLists {
    @OnceOnly(consumer = "x")
    public void on(List<ConsumerRecord<String, String>> records, List<String> keys) {}
  }

  static class OnAnotherThread {
    @Async
    @OnceOnly(consumer = "x")
    public void on(ConsumerRecord<String, String> record) {}
  }

  @Async
  static class AllOnAnotherThread {
    @OnceOnly(consumer = "x")
    public void on(ConsumerRecord<String, String> record) {}
  }

  static class HandlesIt {
    @OnceOnly(consumer = "x")
    public void on(ConsumerRecord<String, String> record) {}
  }

  @Async
  static class InheritsIt extends HandlesIt {}

  static class AsynchronousOfJakarta {
    @Asynchronous
    @OnceOnly(consumer = "x")
    public void on(ConsumerRecord<String, String> record) {}
  }

  static class OwnChannel {
    @OnceOnly(consumer = "x")
    @RabbitListener(queues = "orders")
    public void on(Message message, Channel channel) {}
  }

  static class OtherIds {
    @OnceOnly(consumer = "x", id = "orderIds")
    public void on(ConsumerRecord<String, String> record) {}
  }

  static class Elsewhere {
    @OnceOnly(consumer = "x", inbox = "other")
    public void on(ConsumerRecord<String, String> record) {}
  }

  private static void refused(Class<?> bean, String told) {
    refused(bean, bean, told);
  }

  private static void refused(Class<?> bean, Class<?> declaring, String told) {
    assertThatThrownBy(
            () -> new AnnotationConfigApplicationContext(Application.class, bean).close())
        .hasRootCauseInstanceOf(ConfigurationException.class)
        .rootCause()
        .hasMessageContaining(declaring.getName() + ".on(")
        .hasMessageContaining(told);
  }

  @Test
  void mistakesAreToldAtTheStart() {
    refused(NoMessage.class, "finds no message");
    refused(LaterMessage.class, "would record the message before it is handled");
    refused(FinalMethod.class, "no proxy sees calls of a private, static or final method");
    refused(TwoLists.class, "have one List of messages only");
    refused(OnAnotherThread.class, "the method is @Async");
    refused(AllOnAnotherThread.class, "the method is @Async");
    refused(AsynchronousOfJakarta.class, "the method is @Async");
    refused(InheritsIt.class, HandlesIt.class, "the method is @Async");
    refused(OwnChannel.class, "say ackMode = \"MANUAL\" or \"AUTO\"");
    assertThatThrownBy(
            () -> new AnnotationConfigApplicationContext(Application.class, OtherIds.class).close())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("there is no MessageIdFunction bean \"orderIds\"");
    assertThatThrownBy(
            () ->
                new AnnotationConfigApplicationContext(Application.class, Elsewhere.class).close())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("there is no Inbox bean with the name or qualifier \"other\"");
  }
}
