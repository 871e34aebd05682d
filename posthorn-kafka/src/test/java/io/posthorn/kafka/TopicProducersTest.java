/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.DestinationDownException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class TopicProducersTest {
  private final List<Object> clientIds = new ArrayList<>();
  private final List<MockProducer<String, byte[]>> made = new ArrayList<>();

  private TopicProducers producers(Map<String, Object> settings) {
    return new TopicProducers(settings, this::make);
  }

  private Producer<String, byte[]> make(Map<String, Object> settings) {
    clientIds.add(settings.get("client.id"));
    made.add(new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer()));
    return made.get(made.size() - 1);
  }

  @Test
  void eachTopicHasAProducerOfItsOwn() {
    try (TopicProducers producers = producers(Map.of())) {
      ProducerInUse orders = producers.of("orders").current();
      ProducerInUse invoices = producers.of("invoices").current();

      assertThat(invoices.producer()).isNotSameAs(orders.producer());
      assertThat(producers.of("orders").current()).isSameAs(orders);
      assertThat(made).hasSize(2);
    }
  }

  @Test
  void manyTopicsShareProducersEvenly() {
    int topics = 3 * TopicProducers.MAX_PRODUCERS;
    try (TopicProducers producers = producers(Map.of())) {
      Map<Producer<?, ?>, Long> topicsByProducer =
          IntStream.range(0, topics)
              .mapToObj(i -> producers.of("topic-" + i).current().producer())
              .collect(Collectors.groupingBy(producer -> producer, Collectors.counting()));

      assertThat(topicsByProducer).hasSize(TopicProducers.MAX_PRODUCERS);
      assertThat(topicsByProducer.values()).containsOnly(3L);
    }
  }

  /** Their metrics are registered by it. */
  @Test
  void clientIdsDiffer() {
    try (TopicProducers producers = producers(Map.of("client.id", "shop"))) {
      List.of("a", "b", "c").forEach(topic -> producers.of(topic).current());
    }

    assertThat(clientIds).containsExactly("shop", "shop-2", "shop-3");
  }

  @Test
  void withoutAClientIdKafkaChoosesOne() {
    try (TopicProducers producers = producers(Map.of())) {
      List.of("a", "b").forEach(topic -> producers.of(topic).current());
    }

    assertThat(clientIds).containsExactly(null, null);
  }

  @Test
  void aProducerThatHasEndedIsReplacedForItsTopicOnly() {
    try (TopicProducers producers = producers(Map.of("client.id", "shop"))) {
      ProducerInUse orders = producers.of("orders").current();
      ProducerInUse invoices = producers.of("invoices").current();
      producers.of("invoices").giveUp(invoices);

      assertThat(made.get(1).closed()).isTrue();
      assertThat(producers.of("invoices").current()).isNotSameAs(invoices);
      assertThat(producers.of("orders").current()).isSameAs(orders);
      assertThat(clientIds).containsExactly("shop", "shop-2", "shop-2");
    }
  }

  @Test
  void closingClosesAllAndMakesNoMore() {
    TopicProducers producers = producers(Map.of());
    ReplaceableProducer orders = producers.of("orders");
    orders.current();
    ReplaceableProducer unused = producers.of("unused");
    producers.close();

    assertThat(made).hasSize(1).allMatch(MockProducer::closed);
    assertThatThrownBy(producers::checkOpen).isInstanceOf(DestinationDownException.class);
    assertThatThrownBy(orders::current).isInstanceOf(DestinationDownException.class);
    assertThatThrownBy(unused::current).isInstanceOf(DestinationDownException.class);
    assertThatThrownBy(() -> producers.of("new")).isInstanceOf(DestinationDownException.class);
    assertThat(made).hasSize(1);
  }

  @Test
  void aProducerThatCannotBeClosedDoesNotKeepTheOthersOpen() {
    TopicProducers producers = producers(Map.of());
    List.of("a", "b", "c").forEach(topic -> producers.of(topic).current());
    made.get(0).closeException = new KafkaException("of the first");
    made.get(1).closeException = new KafkaException("of the second");

    assertThatThrownBy(producers::close)
        .hasMessage("of the first")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    assertThat(made.get(2).closed()).isTrue();
  }
}
