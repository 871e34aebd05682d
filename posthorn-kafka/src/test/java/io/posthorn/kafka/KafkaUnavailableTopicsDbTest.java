/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import io.posthorn.servers.KafkaServer;
import io.posthorn.spi.Outgoing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

/** Topics that are missing or deleted beside healthy ones, with ten seconds of max.block.ms. */
class KafkaUnavailableTopicsDbTest {
  /** Far below max.block.ms, and enough for a machine that does something else as well. */
  private static final Duration SOON = Duration.ofMillis(1_500);

  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final KafkaServer server = Topic.broker();
  private final List<Producer<String, byte[]>> producers = new CopyOnWriteArrayList<>();

  private KafkaSender connect(Map<String, Object> settings) {
    Map<String, Object> all = new HashMap<>(settings);
    all.put("bootstrap.servers", server.bootstrapServers());
    return KafkaSender.using(
        all,
        checked -> {
          Producer<String, byte[]> producer = new KafkaProducer<>(checked);
          producers.add(producer);
          return producer;
        });
  }

  /** Until the producer of the first topic that was sent to no longer knows it. */
  private void awaitForgotten(Topic topic) throws InterruptedException {
    Orders.await(() -> !knows(producers.get(0), topic), () -> "it is still known");
  }

  private static boolean knows(Producer<?, ?> producer, Topic topic) {
    try {
      return !producer.partitionsFor(topic.name()).isEmpty();
    } catch (TimeoutException e) {
      return false;
    }
  }

  private static CompletableFuture<?> send(KafkaSender sender, String topic, String key) {
    return sender
        .send(
            new Outgoing(
                UUID.randomUUID(),
                "order",
                topic,
                null,
                key,
                Map.of(),
                "text/plain",
                "1".getBytes(UTF_8),
                Instant.EPOCH))
        .toCompletableFuture();
  }

  @Test
  void topicsThatAreUsedForTheFirstTimeDoNotWaitForMissingOnes() throws Exception {
    Topic warm = Topic.create(server, Map.of());
    List<Topic> healthy = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      healthy.add(Topic.create(server, Map.of()));
    }
    try (KafkaSender sender = connect(Map.of())) {
      send(sender, warm.name(), "k").get(30, TimeUnit.SECONDS);
      List<CompletableFuture<?>> missing =
          IntStream.range(0, 20)
              .<CompletableFuture<?>>mapToObj(i -> send(sender, Topic.anyName(), "k" + i))
              .toList();
      for (Topic topic : healthy) {
        send(sender, topic.name(), "k").get(SOON.toMillis(), TimeUnit.MILLISECONDS);
      }

      assertThat(missing).noneMatch(CompletableFuture::isDone);
      for (CompletableFuture<?> one : missing) {
        assertThat(one).failsWithin(Duration.ofSeconds(15));
      }
    }
  }

  @Test
  void messagesToADeletedTopicDoNotBlockTheCallerAndArriveWhenItIsBack() throws Exception {
    Topic topic = Topic.create(server, Map.of());
    try (KafkaSender sender = connect(Map.of("metadata.max.age.ms", 300))) {
      send(sender, topic.name(), "k").get(30, TimeUnit.SECONDS);
      topic.delete();
      awaitForgotten(topic);

      long begun = System.nanoTime();
      List<CompletableFuture<?>> sent = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        sent.add(send(sender, topic.name(), "k" + i));
      }
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(SOON);
      assertThat(sent).noneMatch(CompletableFuture::isDone);
      topic.createAgain();
      for (CompletableFuture<?> one : sent) {
        one.get(5, TimeUnit.SECONDS);
      }
    }
  }

  /** Each message to the deleted topic comes alone, so that each needs a worker. */
  @Test
  void healthyTopicsGoOnBesideADeletedAndSeveralMissingOnes() throws Exception {
    Topic deleted = Topic.create(server, Map.of());
    Topic healthy = Topic.create(server, Map.of());
    try (KafkaSender sender = connect(Map.of("metadata.max.age.ms", 300));
        Orders orders = new Orders(sender, "{header.topic}")) {
      orders.publish(List.of(to(deleted.name(), "d", "0")));
      orders.awaitDelivered(1);
      orders.publish(List.of(to(healthy.name(), "h", "0")));
      orders.awaitDelivered(2);
      deleted.delete();
      awaitForgotten(deleted);
      List<String> missing = IntStream.range(0, 6).mapToObj(i -> Topic.anyName()).toList();
      for (int i = 0; i < 40; i++) {
        orders.publish(
            List.of(
                to(deleted.name(), "d" + i, "1"),
                to(missing.get(i % missing.size()), "m" + i, "1")));
      }
      Topic fresh = Topic.create(server, Map.of());
      Duration longest = Duration.ZERO;
      int delivered = 2;
      for (int i = 0; i < 10; i++) {
        long begun = System.nanoTime();
        orders.publish(List.of(to(healthy.name(), "h", "" + i), to(fresh.name(), "f", "" + i)));
        delivered += 2;
        orders.awaitDelivered(delivered);
        Duration taken = Duration.ofNanos(System.nanoTime() - begun);
        longest = taken.compareTo(longest) > 0 ? taken : longest;
      }

      assertThat(longest).isLessThan(SOON);
      orders.assertNoAttemptCounted();
    }
  }

  private static Message to(String topic, String key, String text) {
    return Orders.message(key, text).toBuilder().header("topic", topic).build();
  }

  @Test
  void moreTopicsThanProducersAreServedInTheOrderOfTheirKeys() throws Exception {
    List<Topic> topics = new ArrayList<>();
    for (int i = 0; i < TopicProducers.MAX_PRODUCERS + 2; i++) {
      topics.add(Topic.create(server, Map.of()));
    }
    int each = 30;
    try (KafkaSender sender = connect(Map.of());
        Orders orders = new Orders(sender, "{header.topic}")) {
      orders.publish(
          IntStream.range(0, topics.size() * each)
              .mapToObj(
                  i -> {
                    int number = i / topics.size();
                    String topic = topics.get(i % topics.size()).name();
                    return to(topic, topic + number % 3, Integer.toString(number));
                  })
              .toList());
      orders.awaitDelivered(topics.size() * each);

      orders.assertNoAttemptCounted();
      assertThat(orders.log().circuits()).isEmpty();
    }
    for (Topic topic : topics) {
      List<String> numbers =
          topic.read(each, LIMIT).stream()
              .filter(record -> record.key().equals(topic.name() + 1))
              .map(record -> new String(record.value(), UTF_8))
              .toList();
      assertThat(numbers)
          .containsExactlyElementsOf(
              IntStream.iterate(1, number -> number < each, number -> number + 3)
                  .mapToObj(Integer::toString)
                  .toList());
    }
  }
}
