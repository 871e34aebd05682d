/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import io.posthorn.servers.KafkaServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Topics and quotas that are changed while messages are on their way. */
class KafkaTopicChangesDbTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int KEYS = 10;
  private static final int PARTITIONS_AFTER = 8;

  private final KafkaServer server = Topic.broker();
  private final AtomicReference<Producer<String, byte[]>> producer = new AtomicReference<>();

  private KafkaSender connect(Map<String, Object> settings) {
    Map<String, Object> all = new HashMap<>(settings);
    all.put("bootstrap.servers", server.bootstrapServers());
    return KafkaSender.using(
        all,
        checked -> {
          producer.set(new KafkaProducer<>(checked));
          return producer.get();
        });
  }

  @Test
  void partitionsThatAreAddedMoveAKeyOnceAndNeverBack() throws Exception {
    Topic topic = Topic.create(server, new NewTopic(Topic.anyName(), 1, (short) 1));
    int published = 1_000;
    try (KafkaSender sender = connect(Map.of("metadata.max.age.ms", 300));
        Orders orders = new Orders(sender, topic.name())) {
      orders.publish(0, published, KEYS);
      orders.awaitDelivered(100);
      topic.growTo(PARTITIONS_AFTER);
      while (producer.get().partitionsFor(topic.name()).size() < PARTITIONS_AFTER) {
        orders.publish(published, published + 50, KEYS);
        published += 50;
        orders.awaitDelivered(published);
      }
      orders.publish(published, published + 500, KEYS);
      published += 500;
      orders.awaitDelivered(published);

      orders.assertNoAttemptCounted();
      assertThat(orders.log().circuits()).isEmpty();
    }
    List<ConsumerRecord<String, byte[]>> records = topic.read(published, LIMIT);
    assertThat(records).hasSize(published);
    assertThat(records).extracting(ConsumerRecord::partition).contains(0).anyMatch(p -> p > 0);
    for (int key = 0; key < KEYS; key++) {
      assertMovesOnce("k" + key, records);
    }
  }

  /** In the order of publication: first in the old partition, then in another one. */
  private static void assertMovesOnce(String key, List<ConsumerRecord<String, byte[]>> records) {
    List<ConsumerRecord<String, byte[]>> published =
        records.stream()
            .filter(record -> key.equals(record.key()))
            .sorted(Comparator.comparing(Arrivals::number))
            .toList();
    List<Integer> partitions = new ArrayList<>(List.of(0));
    long last = -1;
    for (ConsumerRecord<String, byte[]> record : published) {
      if (record.partition() != partitions.get(partitions.size() - 1)) {
        partitions.add(record.partition());
        last = -1;
      }
      assertThat(record.offset()).as("offset of " + record).isGreaterThan(last);
      last = record.offset();
    }
    assertThat(partitions).as("partitions of " + key).hasSizeLessThanOrEqualTo(2);
  }

  @Test
  void aTopicThatIsDeletedHoldsItsMessagesInOrderUntilItIsCreatedAgain() throws Exception {
    Topic topic = Topic.create(server, Map.of());
    try (KafkaSender sender =
            connect(
                Map.of(
                    "delivery.timeout.ms",
                    1_500,
                    "request.timeout.ms",
                    1_000,
                    "max.block.ms",
                    1_000));
        Orders orders = new Orders(sender, topic.name())) {
      orders.publish(0, 300, KEYS);
      orders.awaitDelivered(300);
      topic.delete();
      orders.publish(300, 600, KEYS);
      String opened = "kafka to " + topic.name() + " opened";
      Orders.await(
          () -> orders.log().circuits().contains(opened), () -> "" + orders.log().circuits());
      topic.createAgain();
      orders.awaitDelivered(600);

      orders.assertNoAttemptCounted();
      assertThat(orders.log().circuits())
          .containsOnly(opened, "kafka to " + topic.name() + " closed");
    }
    List<ConsumerRecord<String, byte[]>> records = topic.read(300, LIMIT);
    assertThat(records).extracting(Arrivals::number).allMatch(number -> number >= 300);
    Arrivals.assertInOrder(records, KEYS, 300);
  }

  /** What was confirmed before is gone with the topic. */
  @Test
  void aTopicThatIsDeletedAndCreatedAgainUnderWayKeepsTheOrder() throws Exception {
    Topic topic = Topic.create(server, Map.of());
    try (KafkaSender sender = connect(Map.of());
        Orders orders = new Orders(sender, topic.name())) {
      orders.publish(0, 3_000, KEYS);
      orders.awaitDelivered(300);
      topic.delete();
      topic.createAgain();
      orders.publish(3_000, 3_500, KEYS);
      orders.awaitDelivered(3_500);

      orders.assertNoAttemptCounted();
    }
    List<ConsumerRecord<String, byte[]>> records = topic.read(500, LIMIT);
    for (int key = 0; key < KEYS; key++) {
      List<Integer> numbers = Arrivals.firstOf("k" + key, records);
      int first = numbers.get(0);
      assertThat(numbers)
          .as("key k%d, all since %d", key, first)
          .containsExactlyElementsOf(
              IntStream.iterate(first, number -> number < 3_500, number -> number + KEYS)
                  .boxed()
                  .toList());
      assertThat(first).as("first of k" + key).isLessThan(3_000 + KEYS);
    }
  }

  /** The short timeout ends while the broker lets the producer wait. */
  @ParameterizedTest
  @ValueSource(ints = {120_000, 1_500})
  void aProducerThatIsThrottledLosesNothingAndKeepsTheOrder(int deliveryTimeout) throws Exception {
    Topic topic = Topic.create(server, Map.of());
    limit(topic.name(), 20_000);
    String padding = " ".repeat(2_000);
    try (KafkaSender sender =
            connect(
                Map.of(
                    "client.id",
                    topic.name(),
                    "delivery.timeout.ms",
                    deliveryTimeout,
                    "request.timeout.ms",
                    1_000));
        Orders orders = new Orders(sender, topic.name())) {
      List<Message> messages =
          IntStream.range(0, 60)
              .mapToObj(i -> Orders.message("k" + i % KEYS, i + padding))
              .toList();
      orders.publish(messages);
      orders.awaitDelivered(60);

      orders.assertNoAttemptCounted();
      assertThat(throttled()).as("longest time that the broker made it wait, in ms").isPositive();
    }
    Arrivals.assertInOrder(topic.read(60, LIMIT), KEYS, 60);
  }

  private void limit(String clientId, double bytesPerSecond) throws Exception {
    ClientQuotaAlteration quota =
        new ClientQuotaAlteration(
            new ClientQuotaEntity(Map.of(ClientQuotaEntity.CLIENT_ID, clientId)),
            List.of(new ClientQuotaAlteration.Op("producer_byte_rate", bytesPerSecond)));
    Topic.ask(server, admin -> admin.alterClientQuotas(List.of(quota)).all());
  }

  private double throttled() {
    return producer.get().metrics().entrySet().stream()
        .filter(metric -> metric.getKey().name().equals("produce-throttle-time-max"))
        .mapToDouble(metric -> (Double) metric.getValue().metricValue())
        .max()
        .orElseThrow();
  }
}
