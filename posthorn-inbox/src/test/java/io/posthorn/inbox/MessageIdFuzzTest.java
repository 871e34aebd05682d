/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.PosthornException;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.NotEmpty;
import net.jqwik.api.constraints.StringLength;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Ids come from headers that anybody may have written. */
class MessageIdFuzzTest {

  private static ConsumerRecord<String, String> record(String header, byte[] value) {
    ConsumerRecord<String, String> record = new ConsumerRecord<>("orders", 3, 42, "key", "value");
    record.headers().add(header, value);
    return record;
  }

  @Property
  void anIdComesAsItWasSent(@ForAll @NotEmpty String id) {
    byte[] bytes = id.getBytes(StandardCharsets.UTF_8);

    assertThat(KafkaMessageId.of(record("ce_id", bytes)))
        .isEqualTo(new String(bytes, StandardCharsets.UTF_8));
  }

  @Property
  void anyBytesAreAnIdOrRefused(@ForAll byte[] bytes) {
    try {
      String id = KafkaMessageId.of(record("posthorn-id", bytes));
      assertThat(id.getBytes(StandardCharsets.UTF_8)).isEqualTo(bytes);
    } catch (PosthornException e) {
      assertThat(e).hasMessageContaining("offset 42").message().hasSizeLessThan(300);
    }
  }

  @Property
  void anIdThatNoTableHoldsIsRefusedInFewWords(@ForAll @StringLength(max = 2_000) String id) {
    try {
      Names.requireMessageId(id);
      assertThat(id.codePointCount(0, id.length())).isBetween(1, 255);
      assertThat(StandardCharsets.UTF_8.newEncoder().canEncode(id)).isTrue();
    } catch (IllegalArgumentException e) {
      assertThat(e).message().hasSizeLessThan(300);
    }
  }
}
