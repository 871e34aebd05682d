/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import io.posthorn.inbox.KafkaMessageId;
import io.posthorn.kafka.KafkaSender;
import io.posthorn.spi.Sender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Kafka, with a consumer group for each consumer. */
record KafkaBroker(String bootstrapServers) implements MessageBroker {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration TELL_PATIENCE = Duration.ofSeconds(5);

  @Override
  public Sender sender() {
    return KafkaSender.connect(
        Map.of(
            "bootstrap.servers", bootstrapServers,
            "max.request.size", 2_000_000,
            "buffer.memory", 16_000_000,
            "request.timeout.ms", 2_000,
            "delivery.timeout.ms", 3_000));
  }

  @Override
  public Subscription subscribe(String consumer) {
    KafkaConsumer<byte[], byte[]> topics =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers", bootstrapServers,
                "group.id", consumer,
                "enable.auto.commit", "false",
                "auto.offset.reset", "earliest",
                "session.timeout.ms", "6000",
                "heartbeat.interval.ms", "1000",
                "fetch.max.bytes", "4000000",
                "max.poll.records", "50"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    topics.subscribe(DESTINATIONS);
    return new Subscription() {
      @Override
      public List<String> poll() {
        List<String> ids = new ArrayList<>();
        topics.poll(POLL).forEach(record -> ids.add(KafkaMessageId.of(record)));
        return ids;
      }

      @Override
      public void acknowledge() {
        topics.commitSync(TELL_PATIENCE);
      }

      @Override
      public void close() {
        topics.close();
      }
    };
  }
}
