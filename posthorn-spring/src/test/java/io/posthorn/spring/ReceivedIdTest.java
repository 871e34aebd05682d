/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.PosthornException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.GenericMessage;

class ReceivedIdTest {
  private static Message<String> message(Map<String, Object> headers) {
    return new GenericMessage<>("x", headers);
  }

  @Test
  void ofSpringsMessageItIsAHeader() {
    UUID id = UUID.randomUUID();

    assertThat(SpringMessageId.of(message(Map.of("posthorn-id", "m-1", "ce_id", "no"))))
        .isEqualTo("m-1");
    assertThat(SpringMessageId.of(message(Map.of("posthorn-id", id)))).isEqualTo(id.toString());
    assertThat(
            SpringMessageId.of(
                message(Map.of("posthorn-id", "m-ı".getBytes(StandardCharsets.UTF_8)))))
        .as("as Spring Kafka has headers of unknown types")
        .isEqualTo("m-ı");
    assertThat(SpringMessageId.of(message(Map.of("ce_id", "m-1")))).isEqualTo("m-1");
    assertThat(SpringMessageId.of(message(Map.of("amqp_messageId", "m-1")))).isEqualTo("m-1");
  }

  @Test
  void springsOwnIdIsNone() {
    assertThatThrownBy(() -> SpringMessageId.of(message(Map.of())))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("has no message id")
        .hasMessageContaining("posthorn-id");
  }

  @Test
  void bytesThatAreNoTextAreRefused() {
    assertThatThrownBy(
            () -> SpringMessageId.of(message(Map.of("posthorn-id", new byte[] {(byte) 0xff}))))
        .hasMessageContaining("not text in UTF-8");
  }

  @Test
  void ofAmqpsMessageItIsAHeaderOrTheProperty() {
    MessageBuilder builder = MessageBuilder.withBody(new byte[0]);

    assertThatThrownBy(() -> AmqpMessageId.of(builder.build()))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("the property messageId");
    assertThat(AmqpMessageId.of(builder.setMessageId("property").build())).isEqualTo("property");
    assertThat(AmqpMessageId.of(builder.setHeader("cloudEvents:id", "cloud").build()))
        .isEqualTo("cloud");
    assertThat(AmqpMessageId.of(builder.setHeader("posthorn-id", "m-1").build())).isEqualTo("m-1");
  }
}
