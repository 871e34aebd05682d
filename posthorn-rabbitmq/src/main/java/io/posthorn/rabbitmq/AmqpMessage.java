/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.posthorn.RefusedException;
import io.posthorn.spi.Outgoing;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;

/** A message as AMQP has it. The body is not copied. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record AmqpMessage(String exchange, String routingKey, BasicProperties properties, byte[] body) {
  private static final int PERSISTENT = 2;
  private static final int MOST_BYTES = 255;
  private static final byte[] NOTHING = {};

  /** A broker that takes less than this at once would be unusual. */
  private static final int LARGE_BYTES = 256 * 1024;

  /**
   * @throws RefusedException if AMQP has no room for a name
   */
  @SuppressWarnings({
    "JavaUtilDate", // AMQP properties take nothing else
    "NullAway" // it does not find the annotation on the array in a class file
  })
  static AmqpMessage of(Outgoing message) {
    String routingKey = message.routingKey() == null ? message.type() : message.routingKey();
    Map<String, Object> headers = new LinkedHashMap<>();
    message.headers().forEach((name, value) -> headers.put(fitting("header name", name), value));
    BasicProperties properties =
        new BasicProperties.Builder()
            .deliveryMode(PERSISTENT)
            .messageId(message.id().toString())
            .type(fitting("type", message.type()))
            .contentType(fitting("content type", message.contentType()))
            .timestamp(Date.from(message.occurredAt()))
            .headers(headers)
            .build();
    return new AmqpMessage(
        fitting("exchange", message.destination()),
        fitting("routing key", routingKey),
        properties,
        message.payload() == null ? NOTHING : message.payload());
  }

  private static String fitting(String what, String text) {
    int bytes = text.getBytes(UTF_8).length;
    if (bytes > MOST_BYTES) {
      throw new RefusedException(
          "RabbitMQ takes a %s of %d bytes at most, but this one has %d: \"%s\""
              .formatted(what, MOST_BYTES, bytes, text),
          null);
    }
    return text;
  }

  boolean isLarge() {
    return body.length >= LARGE_BYTES;
  }

  /** Where it goes, for the text of a failure. */
  String target() {
    return "exchange \"%s\" with routing key \"%s\"".formatted(exchange, routingKey);
  }
}
