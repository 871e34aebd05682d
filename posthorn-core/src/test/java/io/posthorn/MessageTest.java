/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class MessageTest {

  @Test
  void aMessageHasWhatItsBuilderWasTold() {
    UUID id = new UUID(7, 8);
    Instant then = Instant.parse("2020-01-01T00:00:00Z");

    Message message =
        Message.of("order-placed")
            .payload("{}")
            .contentType("application/vnd.order+json")
            .key("order-1")
            .header("source", "web")
            .tenant("acme")
            .aggregateType("order")
            .id(id)
            .occurredAt(then)
            .expiresAt(then.plusSeconds(1))
            .deliverAt(then.plusSeconds(2))
            .deliverAfter(Duration.ofSeconds(3))
            .idempotencyKey("once")
            .build();

    assertHasAll(message, id, then);
    assertHasAll(message.toBuilder().build(), id, then);
  }

  private static void assertHasAll(Message message, UUID id, Instant then) {

    assertThat(message.type()).isEqualTo("order-placed");
    assertThat(message.payload()).isEqualTo("{}");
    assertThat(message.contentType()).isEqualTo("application/vnd.order+json");
    assertThat(message.key()).isEqualTo("order-1");
    assertThat(message.headers()).containsExactly(Map.entry("source", "web"));
    assertThat(message.tenant()).isEqualTo("acme");
    assertThat(message.aggregateType()).isEqualTo("order");
    assertThat(message.id()).isEqualTo(id);
    assertThat(message.occurredAt()).isEqualTo(then);
    assertThat(message.expiresAt()).isEqualTo(then.plusSeconds(1));
    assertThat(message.deliverAt()).isEqualTo(then.plusSeconds(2));
    assertThat(message.deliverAfter()).isEqualTo(Duration.ofSeconds(3));
    assertThat(message.idempotencyKey()).isEqualTo("once");
  }

  @Test
  void whatIsMadeFromAMessageLeavesItAsItIs() {
    Message message = Message.of("t").header("a", "1").payload(new byte[] {1}).build();

    Message other = message.toBuilder().header("a", "2").header("b", "3").build();
    ((byte[]) other.payload())[0] = 9;

    assertThat(message.headers()).containsExactly(Map.entry("a", "1"));
    assertThat(other.headers()).isEqualTo(Map.of("a", "2", "b", "3"));
    assertThat((byte[]) message.payload()).containsExactly(1);
  }

  @Test
  void aMessageNeedsNothingButAType() {
    Message message = Message.of("order-placed").build();

    assertThat(message.payload()).as("a tombstone").isNull();
    assertThat(message.key()).isNull();
    assertThat(message.headers()).isEmpty();
    assertThat(message.id()).isNull();
    assertThat(message.deliverAfter()).isNull();
    assertThat(message.deliverAt()).isNull();
    assertThat(message.idempotencyKey()).isNull();
  }

  @Test
  void bytesAreCopiedOnTheWayInAndOnTheWayOut() {
    byte[] bytes = {1, 2, 3};
    Message message = Message.of("t").payload(bytes).build();

    bytes[0] = 9;
    ((byte[]) message.payload())[1] = 9;

    assertThat((byte[]) message.payload()).containsExactly(1, 2, 3);
  }

  @Test
  void headersAreCopiedAndCannotBeChanged() {
    Map<String, String> headers = new HashMap<>(Map.of("a", "1"));
    Message.Builder builder = Message.of("t").headers(headers);
    Message message = builder.build();

    headers.put("b", "2");
    builder.header("c", "3");

    assertThat(message.headers()).containsOnlyKeys("a");
    assertThatThrownBy(() -> message.headers().put("d", "4"))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void textShowsTypeKeyAndIdButNeverThePayload() {
    Message message =
        Message.of("order-placed")
            .key("order-1")
            .payload("secret".getBytes(StandardCharsets.UTF_8))
            .build();
    Message text = Message.of("order-placed").payload("secret").header("h", "secret").build();

    assertThat(message).hasToString("Message[type=order-placed, key=order-1, id=null]");
    assertThat(text.toString()).doesNotContain("secret");
  }

  @Test
  void nullsAreRefusedByName() {
    assertThatThrownBy(() -> Message.of((String) null)).hasMessage("type");
    assertThatThrownBy(() -> Message.of("t").header(null, "v")).hasMessage("name");
    assertThatThrownBy(() -> Message.of("t").header("n", null)).hasMessage("value");
    assertThatThrownBy(() -> Message.of("t").contentType(null)).hasMessage("contentType");
    assertThatThrownBy(() -> Message.of("t").id(null)).hasMessage("id");
    assertThatThrownBy(() -> Message.of("t").occurredAt(null)).hasMessage("occurredAt");
    assertThatThrownBy(() -> Message.of("t").expiresAt(null)).hasMessage("expiresAt");
    assertThatThrownBy(() -> Message.of("t").deliverAfter(null)).hasMessage("delay");
    assertThatThrownBy(() -> Message.of("t").deliverAt(null)).hasMessage("time");
    assertThatThrownBy(() -> Message.of("t").idempotencyKey(null)).hasMessage("idempotencyKey");
  }
}
