/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.ConfigurationException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProducerSettingsTest {
  private static final Map<String, String> BROKER = Map.of("bootstrap.servers", "localhost:9092");

  @Test
  void whatCouldLoseMessagesOrChangeTheirOrderIsRefusedWithTheReason() {
    assertThatThrownBy(
            () ->
                KafkaSender.connect(
                    Map.of(
                        "acks",
                        "1",
                        "enable.idempotence",
                        false,
                        "transactional.id",
                        "tx",
                        "delivery.timeout.ms",
                        "soon")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("acks was 1 but must be all")
        .hasMessageContaining("enable.idempotence was false but must be true")
        .hasMessageContaining("transactional.id was set")
        .hasMessageContaining("bootstrap.servers was not set")
        .hasMessageContaining("delivery.timeout.ms was \"soon\"");
  }

  @ParameterizedTest
  @CsvSource({
    "max.in.flight.requests.per.connection, 6",
    "delivery.timeout.ms, 5000",
    "retries, 0",
    "compression.type, zip",
    "partitioner.ignore.keys, true",
    "partitioner.class, org.apache.kafka.clients.producer.RoundRobinPartitioner",
    "buffer.memory, much"
  })
  void whatKafkaRefusesOrBreaksTheOrderIsRefusedBeforeTheFirstMessage(String name, String value) {
    assertThatThrownBy(
            () -> KafkaSender.connect(Map.of("bootstrap.servers", "localhost:9092", name, value)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(name);
  }

  @Test
  void acksAndIdempotenceAreSetIfNothingIsSaid() {
    assertThat(ProducerSettings.of(BROKER).asMap())
        .containsEntry("acks", "all")
        .containsEntry("enable.idempotence", true);
  }

  @Test
  void whatIsSaidAboutBatchesAndWaitingStands() {
    Map<String, Object> given =
        Map.of("bootstrap.servers", "b:9092", "batch.size", "100", "linger.ms", "7");
    assertThat(ProducerSettings.of(given).asMap())
        .containsEntry("batch.size", "100")
        .containsEntry("linger.ms", "7");
    assertThat(ProducerSettings.of(BROKER).asMap())
        .containsEntry("batch.size", 65_536)
        .containsEntry("linger.ms", 0);
  }

  @Test
  void aMessageHasTheTimeOfKafkasDeliveryTimeoutBehindThatOfABlockedSend() {
    try (KafkaSender sender = KafkaSender.connect(BROKER)) {
      assertThat(sender.timeout()).isEqualTo(Duration.ofSeconds(130));
    }
  }
}
