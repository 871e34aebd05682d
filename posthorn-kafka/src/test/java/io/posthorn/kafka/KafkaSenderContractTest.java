/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.servers.KafkaServer;
import io.posthorn.spi.Outgoing;
import io.posthorn.spi.Sender;
import io.posthorn.test.contract.SenderContract;
import io.posthorn.test.contract.SenderUnderTest;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

class KafkaSenderContractTest extends SenderContract {
  @Override
  protected SenderUnderTest open() {
    return new Kafka();
  }

  private static final class Kafka implements SenderUnderTest {
    private final KafkaServer server = Topic.broker();
    private final Topic topic;
    private final KafkaSender sender = connect(60_000);
    private @Nullable KafkaSender impatient;

    Kafka() {
      try {
        topic = Topic.create(server, Map.of());
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }

    private KafkaSender connect(int timeoutMs) {
      return KafkaSender.connect(
          Map.of(
              "bootstrap.servers",
              server.bootstrapServers(),
              "delivery.timeout.ms",
              timeoutMs,
              "request.timeout.ms",
              timeoutMs / 2,
              "max.block.ms",
              timeoutMs));
    }

    @Override
    public Sender sender() {
      return sender;
    }

    @Override
    public Sender impatientSender() {
      impatient = connect(5_000);
      return impatient;
    }

    @Override
    public String destination() {
      return topic.name();
    }

    @Override
    public List<Received> received(int atLeast, Duration limit) {
      return topic.read(atLeast, limit).stream().map(Kafka::received).toList();
    }

    private static Received received(ConsumerRecord<String, byte[]> record) {
      Map<String, String> headers = new LinkedHashMap<>();
      for (Header header : record.headers()) {
        headers.put(header.key(), new String(header.value(), UTF_8));
      }
      return new Received(record.key(), headers, record.value());
    }

    @Override
    public void interrupt() {
      server.kill();
    }

    @Override
    public void restore() {
      server.start();
    }

    @Override
    public Optional<Outgoing> refused() {
      return Optional.of(
          new Outgoing(
              UUID.randomUUID(),
              "order-placed",
              destination(),
              null,
              "large",
              Map.of(),
              "text/plain",
              new byte[2_000_000],
              Instant.EPOCH));
    }

    @Override
    public boolean keepsTombstones() {
      return true;
    }

    @Override
    public void close() {
      sender.close();
      if (impatient != null) {
        impatient.close();
      }
    }
  }
}
