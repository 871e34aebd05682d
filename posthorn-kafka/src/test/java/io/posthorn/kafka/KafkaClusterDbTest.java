/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import io.posthorn.servers.KafkaServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two brokers, of which the second one fails. */
class KafkaClusterDbTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int KEYS = 10;
  private static final Map<Integer, List<Integer>> LED_BY_BOTH =
      Map.of(0, List.of(2, 1), 1, List.of(1, 2), 2, List.of(2, 1));
  private static final Map<Integer, List<Integer>> LED_BY_FIRST = Map.of(0, List.of(1, 2));
  private static final Map<Integer, List<Integer>> ON_THE_FIRST = Map.of(0, List.of(1));

  private static final KafkaServer FIRST = new KafkaServer();
  private static final KafkaServer SECOND = KafkaServer.joining(FIRST);

  @BeforeAll
  static void startFirst() {
    FIRST.start();
  }

  @BeforeEach
  void startSecond() {
    SECOND.start();
  }

  @AfterAll
  static void stop() {
    SECOND.close();
    FIRST.close();
  }

  private static Topic topic(Map<Integer, List<Integer>> replicas, int minInSync) throws Exception {
    return Topic.create(
        FIRST,
        new NewTopic(Topic.anyName(), replicas)
            .configs(Map.of("min.insync.replicas", Integer.toString(minInSync))));
  }

  private static KafkaSender connect(Map<String, Object> settings) {
    Map<String, Object> all = new HashMap<>(settings);
    all.put("bootstrap.servers", FIRST.bootstrapServers() + "," + SECOND.bootstrapServers());
    return KafkaSender.connect(all);
  }

  private static KafkaSender impatient() {
    return connect(Map.of("delivery.timeout.ms", 1_500, "request.timeout.ms", 1_000));
  }

  @Test
  void aLeaderThatIsKilledInTheMiddleIsReplacedAndNothingIsLost() throws Exception {
    Topic topic = topic(LED_BY_BOTH, 1);
    try (KafkaSender sender = connect(Map.of());
        Orders orders = new Orders(sender, topic.name())) {
      orders.publish(0, 3_000, KEYS);
      orders.awaitDelivered(300);
      SECOND.kill();
      orders.publish(3_000, 3_500, KEYS);
      orders.awaitDelivered(3_500);

      orders.assertNoAttemptCounted();
      assertThat(orders.log().circuits()).isEmpty();
    }
    List<ConsumerRecord<String, byte[]>> records = topic.read(3_500, LIMIT);
    Arrivals.assertInOrder(records, KEYS, 3_500);
    assertThat(records).as("the client's own retries repeat nothing").hasSize(3_500);
  }

  private static List<Message> to(Topic topic, int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(i -> Orders.message(topic.name() + i % KEYS, Integer.toString(i)))
        .map(message -> message.toBuilder().header("topic", topic.name()).build())
        .toList();
  }

  @Test
  void aTopicWithoutEnoughReplicasHoldsItsMessagesInOrderUntilTheyAreBack() throws Exception {
    Topic starved = topic(LED_BY_BOTH, 2);
    Topic healthy = topic(ON_THE_FIRST, 1);
    String circuit = "kafka to " + starved.name();
    try (KafkaSender sender = impatient();
        Orders orders = new Orders(sender, "{header.topic}")) {
      orders.publish(to(starved, 0, 50));
      orders.awaitDelivered(50);
      SECOND.kill();
      orders.publish(to(starved, 50, 150));
      Orders.await(
          () -> orders.log().circuits().contains(circuit + " opened"),
          () -> "" + orders.log().circuits());
      orders.publish(to(healthy, 0, 100));
      orders.awaitDelivered(150);
      SECOND.start();
      orders.awaitDelivered(250);

      orders.assertNoAttemptCounted();
      assertThat(orders.log().circuits()).containsOnly(circuit + " opened", circuit + " closed");
    }
    List<ConsumerRecord<String, byte[]>> records = starved.read(150, LIMIT);
    for (int key = 0; key < KEYS; key++) {
      assertThat(Arrivals.firstOf(starved.name() + key, records)).hasSize(15).isSorted();
    }
    assertThat(healthy.read(100, LIMIT)).hasSize(100);
  }

  /**
   * The leader answers nothing on a connection that has a request which waits for a replica, for
   * the whole request timeout. The larger size needs more memory than a producer has.
   */
  @ParameterizedTest
  @ValueSource(ints = {10, 200_000})
  void aTopicThatGetsStuckInTheMiddleHoldsUpNoOther(int bytes) throws Exception {
    Topic starved = topic(LED_BY_FIRST, 2);
    Topic healthy = topic(ON_THE_FIRST, 1);
    String padding = " ".repeat(bytes);
    Map<String, Object> patient =
        Map.of(
            "request.timeout.ms",
            40_000,
            "delivery.timeout.ms",
            60_000,
            "buffer.memory",
            2_000_000,
            "max.block.ms",
            40_000);
    try (KafkaSender sender = connect(patient);
        Orders orders = new Orders(sender, "{header.topic}")) {
      orders.publish(to(starved, 0, 50));
      orders.publish(to(healthy, 0, 50));
      orders.awaitDelivered(100);
      SECOND.freeze();
      List<Message> stuck =
          IntStream.range(50, 150)
              .mapToObj(i -> Orders.message("stuck" + i, i + padding))
              .map(message -> message.toBuilder().header("topic", starved.name()).build())
              .toList();
      orders.publish(stuck);
      long since = System.nanoTime();
      for (int n = 50; n < 250; n += 50) {
        orders.publish(to(healthy, n, n + 50));
        orders.awaitDelivered(100 + n);
      }
      assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(Duration.ofSeconds(20));
      assertThat(orders.log().delivered()).as("none to the stuck topic").hasSize(300);
      SECOND.thaw();
      orders.awaitDelivered(400);

      orders.assertNoAttemptCounted();
    } finally {
      SECOND.thaw();
    }
    assertThat(healthy.read(250, LIMIT)).hasSize(250);
  }
}
