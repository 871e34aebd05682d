/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import io.posthorn.MessageHeaders;
import io.posthorn.PosthornException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * The id of the message that came in a record of Kafka's: the header that Posthorn sends, otherwise
 * that of CloudEvents.
 *
 * <pre>{@code
 * inbox.once("warehouse", KafkaMessageId.of(record), () -> take(record.value()));
 *
 * inbox.onceEach("warehouse", consumer.poll(timeout), KafkaMessageId::of, records -> takeAll(records));
 * }</pre>
 *
 * @since 0.1
 */
public final class KafkaMessageId {
  /** As the Kafka binding of CloudEvents has it in binary mode. */
  private static final String CLOUD_EVENTS_ID = "ce_id";

  private KafkaMessageId() {}

  /**
   * @throws PosthornException if the record has no id that can be read
   */
  public static String of(ConsumerRecord<?, ?> record) {
    String id = text(record, MessageHeaders.ID);
    if (id == null) {
      id = text(record, CLOUD_EVENTS_ID);
    }
    if (id == null) {
      throw new PosthornException(
          "%s has no message id: neither header \"%s\" nor \"%s\" is there. Have the sender set one, or call the inbox with an id from the record's content"
              .formatted(place(record), MessageHeaders.ID, CLOUD_EVENTS_ID));
    }
    return id;
  }

  /**
   * The record's place, {@code topic-partition-offset}, for records that have no id of their own:
   * Kafka Streams, for example, copies headers to all records that it derives from one. The same
   * record has it at each delivery; one that was sent twice has two.
   */
  public static String ofPlace(ConsumerRecord<?, ?> record) {
    return record.topic() + "-" + record.partition() + "-" + record.offset();
  }

  /** Null if there is no such header, or nothing in it. */
  private static @Nullable String text(ConsumerRecord<?, ?> record, String name) {
    Header header = record.headers().lastHeader(name);
    byte[] value = header == null ? null : header.value();
    if (value == null || value.length == 0) {
      return null;
    }
    try {
      // Strictly: two ids must not become one.
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
    } catch (CharacterCodingException e) {
      throw new PosthornException(
          "%s has a header \"%s\" that is not text in UTF-8; have the sender write it so"
              .formatted(place(record), name),
          e);
    }
  }

  private static String place(ConsumerRecord<?, ?> record) {
    return "The record at offset %d of partition %d of topic \"%s\""
        .formatted(record.offset(), record.partition(), record.topic());
  }
}
