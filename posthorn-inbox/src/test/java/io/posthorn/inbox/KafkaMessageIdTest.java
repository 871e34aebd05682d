/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.MessageHeaders;
import io.posthorn.PosthornException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class KafkaMessageIdTest {
  private final ConsumerRecord<String, String> record =
      new ConsumerRecord<>("orders", 3, 42, "key", "value");

  private void header(String name, String value) {
    record.headers().add(name, value.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void itIsTheHeaderThatPosthornSends() {
    header("ce_id", "of the cloud");
    header(MessageHeaders.ID, "m-ı");

    assertThat(KafkaMessageId.of(record)).isEqualTo("m-ı");
  }

  @Test
  void otherwiseItIsThatOfCloudEvents() {
    header("ce_id", "m-1");

    assertThat(KafkaMessageId.of(record)).isEqualTo("m-1");
  }

  @Test
  void aRecordWithoutAnIdIsToldWithItsPlace() {
    assertThatThrownBy(() -> KafkaMessageId.of(record))
        .isInstanceOf(PosthornException.class)
        .hasMessage(
            "The record at offset 42 of partition 3 of topic \"orders\" has no message id: neither header \"posthorn-id\" nor \"ce_id\" is there. Have the sender set one, or call the inbox with an id from the record's content");
  }

  @Test
  void anIdThatIsNoTextIsRefused() {
    record.headers().add(MessageHeaders.ID, new byte[] {(byte) 0xff, 1});

    assertThatThrownBy(() -> KafkaMessageId.of(record))
        .hasMessageContaining("header \"posthorn-id\" that is not text in UTF-8");
  }

  // The last parameter came with a version of Kafka that users may not have.
  @Test
  @SuppressWarnings("deprecation")
  void aPollIsABatch() {
    header(MessageHeaders.ID, "m-1");
    ConsumerRecords<String, String> poll =
        new ConsumerRecords<>(Map.of(new TopicPartition("orders", 3), List.of(record, record)));
    try (TestDatabase database = TestDatabase.h2()) {
      Inbox inbox = Inbox.on(database.table().build(), database.transactions());

      assertThat(inbox.onceEach("warehouse", poll, KafkaMessageId::of, records -> {}))
          .containsExactly(record);
      assertThat(inbox.once("warehouse", KafkaMessageId.of(record), () -> {})).isFalse();
    }
  }
}
