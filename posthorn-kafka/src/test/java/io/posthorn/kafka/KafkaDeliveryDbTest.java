/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import io.posthorn.servers.KafkaServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** From the commit to the topic, with a real database and a real broker. */
class KafkaDeliveryDbTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int KEYS = 10;

  private final KafkaServer server = Topic.broker();
  private KafkaSender sender;

  @BeforeEach
  void connect() {
    sender = connect(Map.of());
  }

  @AfterEach
  void stop() {
    sender.close();
  }

  private KafkaSender connect(Map<String, Object> settings) {
    Map<String, Object> all = new HashMap<>(settings);
    all.put("bootstrap.servers", server.bootstrapServers());
    return KafkaSender.connect(all);
  }

  @Test
  void everyMessageArrivesOnceAndInTheOrderOfItsKey() throws Exception {
    Topic topic = Topic.create(server, Map.of());
    try (Orders orders = new Orders(sender, topic.name())) {
      orders.publish(0, 2_000, KEYS);
      orders.awaitDelivered(2_000);
    }

    List<ConsumerRecord<String, byte[]>> records = topic.read(2_000, LIMIT);
    assertThat(records).hasSize(2_000);
    Arrivals.assertInOrder(records, KEYS, 2_000);
  }

  @Test
  void aRecordThatTheBrokerRefusesBecomesADeadLetterAndItsKeyGoesOnInOrder() throws Exception {
    Topic topic = Topic.create(server, Map.of("max.message.bytes", "10000"));
    try (Orders orders = new Orders(sender, topic.name())) {
      orders.publish(
          List.of(
              Orders.message("k0", "1"),
              Orders.message("k0", "2".repeat(20_000)),
              Orders.message("k0", "3"),
              Orders.message("k1", "4")));
      orders.awaitDelivered(3);
      Orders.await(() -> orders.log().dead().size() == 1, () -> "no dead letter");

      assertThat(orders.log().dead().get(0).error()).contains("RecordTooLargeException");
      assertThat(orders.log().dead().get(0).attempts()).isEqualTo(1);
    }
    assertThat(Topic.texts(topic.read(3, LIMIT), "k0")).containsExactly("1", "3");
  }

  @Test
  void aTopicThatMayNotBeWrittenHoldsItsOwnKeysInOrderUntilItMayBe() throws Exception {
    Topic open = Topic.create(server, Map.of());
    Topic closed = Topic.create(server, Map.of());
    closed.forbidWriting();
    try (Orders orders = new Orders(sender, "{header.topic}")) {
      orders.publish(
          List.of(
              to(open, Orders.message("k0", "1")),
              to(closed, Orders.message("k1", "2")),
              to(closed, Orders.message("k1", "3")),
              to(open, Orders.message("k0", "4"))));
      orders.awaitDelivered(2);
      String circuit = "kafka to " + closed.name();
      Orders.await(() -> orders.log().circuits().contains(circuit + " opened"), () -> "no warning");
      assertThat(orders.log().delivered()).hasSize(2);
      closed.allowWriting();
      orders.awaitDelivered(4);

      orders.assertNoAttemptCounted();
      assertThat(orders.log().circuits()).containsExactly(circuit + " opened", circuit + " closed");
    }
    assertThat(Topic.texts(open.read(2, LIMIT), "k0")).containsExactly("1", "4");
    assertThat(Topic.texts(closed.read(2, LIMIT), "k1")).containsExactly("2", "3");
  }

  private static Message to(Topic topic, Message message) {
    return message.toBuilder().header("topic", topic.name()).build();
  }

  @Test
  void aBrokerThatIsKilledInTheMiddleLosesNothingAndKeepsTheOrder() throws Exception {
    Topic topic = Topic.create(server, Map.of());
    try (Orders orders = new Orders(sender, topic.name())) {
      orders.publish(0, 3_000, KEYS);
      orders.awaitDelivered(300);
      server.kill();
      orders.publish(3_000, 3_500, KEYS);
      server.start();
      orders.awaitDelivered(3_500);

      orders.assertNoAttemptCounted();
    }
    Arrivals.assertInOrder(topic.read(3_500, LIMIT), KEYS, 3_500);
  }

  @Test
  void anOutageOpensTheCircuitAndNothingThatWasConfirmedIsSentAgain() throws Exception {
    Topic topic = Topic.create(server, Map.of());
    try (KafkaSender impatient =
            connect(
                Map.of(
                    "delivery.timeout.ms",
                    1_500,
                    "request.timeout.ms",
                    1_000,
                    "max.block.ms",
                    1_000));
        Orders orders = new Orders(impatient, topic.name())) {
      orders.publish(0, 500, KEYS);
      orders.awaitDelivered(500);
      server.kill();

      long begun = System.nanoTime();
      orders.publish(500, 1_000, KEYS);
      assertThat(Duration.ofNanos(System.nanoTime() - begun))
          .as("publishing while the broker is away")
          .isLessThan(Duration.ofSeconds(5));
      Orders.await(
          () -> orders.log().circuits().contains("kafka opened"), () -> "the circuit is closed");
      server.start();
      orders.awaitDelivered(1_000);

      orders.assertNoAttemptCounted();
      assertThat(orders.log().circuits()).endsWith("kafka closed");
    }
    List<ConsumerRecord<String, byte[]>> records = topic.read(1_000, LIMIT);
    Arrivals.assertInOrder(records, KEYS, 1_000);
    assertThat(records)
        .as("confirmed before the outage")
        .filteredOn(record -> Integer.parseInt(new String(record.value(), UTF_8)) < 500)
        .hasSize(500);
  }

  @Test
  void answersThatTimeOutLeadToRepetitionsButNotToDisorder() throws Exception {
    Topic topic = Topic.create(server, Map.of());
    try (KafkaSender impatient =
            connect(Map.of("delivery.timeout.ms", 1_500, "request.timeout.ms", 1_000));
        Orders orders = new Orders(impatient, topic.name())) {
      orders.publish(0, 100, KEYS);
      orders.awaitDelivered(100);
      server.freeze();
      try {
        orders.publish(100, 1_000, KEYS);
        Orders.await(
            () -> orders.log().circuits().contains("kafka opened"), () -> "the circuit is closed");
      } finally {
        server.thaw();
      }
      orders.awaitDelivered(1_000);

      orders.assertNoAttemptCounted();
    }
    Arrivals.assertInOrder(topic.read(1_000, LIMIT), KEYS, 1_000);
  }
}
