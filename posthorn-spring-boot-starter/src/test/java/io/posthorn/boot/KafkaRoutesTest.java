/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.opentelemetry.sdk.trace.data.SpanData;
import io.posthorn.MessageHeaders;
import io.posthorn.Outbox;
import io.posthorn.OutboxMessage;
import io.posthorn.Route;
import io.posthorn.boot.Shop.Order;
import io.posthorn.servers.KafkaServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.transaction.support.TransactionTemplate;

class KafkaRoutesTest {
  private static final KafkaServer KAFKA = new KafkaServer();

  @BeforeAll
  static void startKafka() {
    KAFKA.start();
  }

  @AfterAll
  static void stopKafka() {
    KAFKA.close();
  }

  /** No handler at all. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Publisher {}

  @Configuration(proxyBeanMethods = false)
  static class Routes {
    @Bean
    Route auditRoute() {
      return Route.annotated(OutboxMessage.class)
          .to("audit", "audit")
          .mapping(String.class, json -> json.replace("5", "many"));
    }

    /** Another broker, if it were not the same one here. */
    @Bean(defaultCandidate = false)
    ProducerFactory<String, String> audit(ProducerFactory<?, ?> first) {
      return new DefaultKafkaProducerFactory<>(new HashMap<>(first.getConfigurationProperties()));
    }
  }

  static class Warehouse {
    final BlockingQueue<String> got = new LinkedBlockingQueue<>();

    @KafkaListener(topics = "traced-orders", groupId = "warehouse")
    void on(String order) {
      got.add(order);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Traced {
    @Bean
    Spans spans() {
      return new Spans();
    }

    @Bean
    TracingTest.Orders orders(Shop.Counter counter) {
      return new TracingTest.Orders(counter);
    }

    @Bean
    Warehouse warehouse() {
      return new Warehouse();
    }
  }

  private static ConfigurableApplicationContext start(Class<?> more, String... properties) {
    String[] all = java.util.Arrays.copyOf(properties, properties.length + 1);
    all[properties.length] = broker();
    return Shop.start(all, Publisher.class, more);
  }

  private static String broker() {
    return "spring.kafka.bootstrap-servers=" + KAFKA.bootstrapServers();
  }

  private static void publish(ConfigurableApplicationContext context, Object payload) {
    Outbox outbox = context.getBean(Outbox.class);
    context
        .getBean(TransactionTemplate.class)
        .executeWithoutResult(status -> outbox.publish(payload));
  }

  private static ConsumerRecord<String, String> first(String topic) {
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                KAFKA.bootstrapServers(),
                "group.id",
                "test",
                "auto.offset.reset",
                "earliest",
                "metadata.max.age.ms",
                "500"),
            new StringDeserializer(),
            new StringDeserializer())) {
      consumer.subscribe(java.util.List.of(topic));
      long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
      while (System.nanoTime() < end) {
        ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(200));
        if (!records.isEmpty()) {
          return records.iterator().next();
        }
      }
    }
    throw new AssertionError("nothing arrived in topic " + topic);
  }

  private static Map<String, String> headers(ConsumerRecord<?, ?> record) {
    Map<String, String> headers = new HashMap<>();
    for (Header header : record.headers()) {
      headers.put(header.key(), new String(header.value(), UTF_8));
    }
    return headers;
  }

  @Test
  void aTypeGoesToATopicByPropertiesAlone() {
    try (ConfigurableApplicationContext context =
        start(
            Publisher.class,
            "spring.application.name=shop",
            "posthorn.routes.order-placed.topic=orders",
            "posthorn.routes.order-placed.key=order-{key}",
            "posthorn.routes.order-placed.headers.region=eu",
            "posthorn.handlers.kafka.concurrency=2",
            "posthorn.cloud-events.enabled=true")) {
      publish(context, new Order("7", 5));

      ConsumerRecord<String, String> record = first("orders");
      assertThat(record.key()).isEqualTo("order-7");
      assertThat(record.value()).isEqualTo("{\"id\":\"7\",\"amount\":5}");
      assertThat(headers(record))
          .containsEntry(MessageHeaders.TYPE, "order-placed")
          .containsEntry(MessageHeaders.CONTENT_TYPE, "application/json")
          .containsEntry("region", "eu")
          .containsEntry("ce_source", "/shop")
          .containsKey(MessageHeaders.ID);
    }
  }

  @Test
  void routesAreBeansTooAndASecondBrokerIsNamedLikeItsProducerFactory() {
    try (ConfigurableApplicationContext context =
        start(
            Routes.class, "posthorn.default-route.to=kafka", "posthorn.default-route.topic=rest")) {
      publish(context, new Order("8", 5));

      assertThat(first("audit").value()).isEqualTo("{\"id\":\"8\",\"amount\":many}");
    }
  }

  @Test
  void theTraceOfAWebRequestGoesOnInAListenerBehindTheBroker() throws Exception {
    Spans spans;
    try (WebShop shop =
        WebShop.run(
            Traced.class,
            broker(),
            "management.tracing.sampling.probability=1.0",
            "spring.kafka.listener.observation-enabled=true",
            "spring.kafka.consumer.auto-offset-reset=earliest",
            "posthorn.routes.order-placed.topic=traced-orders")) {
      spans = shop.context().getBean(Spans.class);
      assertThat(shop.post("/orders/o-1").statusCode()).isEqualTo(200);
      assertThat(shop.context().getBean(Warehouse.class).got.poll(30, TimeUnit.SECONDS))
          .contains("o-1");
    }

    SpanData request = spans.request();
    assertThat(spans.reception().getTraceId()).isEqualTo(request.getTraceId());
    assertThat(spans.reception().getParentSpanId()).isEqualTo(request.getSpanId());
    assertThat(spans.delivery("kafka").getTraceId()).isEqualTo(request.getTraceId());
  }

  @Test
  void aProducerThatCouldLoseMessagesIsRefusedAtTheStart() {
    Throwable failure =
        catchThrowable(
            () ->
                start(
                        Publisher.class,
                        "posthorn.routes.order-placed.topic=orders",
                        "spring.kafka.producer.acks=1")
                    .close());

    assertThat(failure).hasStackTraceContaining("acks was 1 but must be all");
  }

  @Test
  void aRouteToNowhereIsRefusedAtTheStart() {
    assertThat(
            catchThrowable(
                () -> start(Publisher.class, "posthorn.routes.order-placed.to=rabit").close()))
        .hasStackTraceContaining("a route leads to sender \"rabit\", which was not registered");
  }
}
