/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.route;

import io.posthorn.Delivery;
import io.posthorn.MessageHeaders;
import io.posthorn.PosthornException;
import io.posthorn.RefusedException;
import io.posthorn.Route;
import io.posthorn.spi.Outgoing;
import io.posthorn.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes of a message what is sent. Safe to share between threads. */
final class Preparation {
  private final @Nullable PayloadCodec codec;
  private final @Nullable CloudEvents cloudEvents;
  private final TimeText times = new TimeText();

  /**
   * @param codec null if there is none; then mappings take and give bytes and text only
   * @param cloudEvents null if its headers are not wanted
   */
  Preparation(@Nullable PayloadCodec codec, @Nullable CloudEvents cloudEvents) {
    this.codec = codec;
    this.cloudEvents = cloudEvents;
  }

  /** The payload, and what it is. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Content(byte @Nullable [] payload, String type) {}

  /**
   * @throws RefusedException if the message has not what the route needs
   */
  Outgoing prepare(Route route, Delivery delivery, byte @Nullable [] payload) {
    Content content = content(route, delivery, payload);
    return new Outgoing(
        delivery.messageId(),
        delivery.type(),
        needed(route.destination(delivery).orElse(null), "destination", delivery),
        route.hasRoutingKey()
            ? needed(route.routingKey(delivery).orElse(null), "routing key", delivery)
            : null,
        route.needsKey()
            ? needed(route.key(delivery).orElse(null), "key", delivery)
            : route.key(delivery).orElse(null),
        headers(route, delivery, content.type),
        content.type,
        content.payload,
        delivery.occurredAt());
  }

  private static String needed(@Nullable String text, String what, Delivery delivery) {
    if (text == null) {
      throw new RefusedException(
          "the route of %s names a value for its %s that the message lacks"
              .formatted(delivery, what),
          null);
    }
    return text;
  }

  private Map<String, String> headers(Route route, Delivery delivery, String contentType) {
    Map<String, String> headers = new LinkedHashMap<>(delivery.headers());
    headers.putAll(route.headers(delivery));
    headers.put(MessageHeaders.ID, delivery.messageId().toString());
    headers.put(MessageHeaders.TYPE, delivery.type());
    putOrRemove(headers, MessageHeaders.KEY, delivery.key());
    putOrRemove(headers, MessageHeaders.AGGREGATE_TYPE, delivery.aggregateType());
    putOrRemove(headers, MessageHeaders.TENANT, delivery.tenant());
    headers.put(MessageHeaders.CREATED_AT, times.of(delivery.createdAt()));
    headers.put(MessageHeaders.OCCURRED_AT, times.of(delivery.occurredAt()));
    headers.put(MessageHeaders.CONTENT_TYPE, contentType);
    if (cloudEvents != null) {
      cloudEvents.addTo(headers, delivery);
    }
    return headers;
  }

  /** A header of the publisher's own must not pass for what the message is. */
  static void putOrRemove(Map<String, String> headers, String name, @Nullable String value) {
    headers.remove(name);
    if (value != null) {
      headers.put(name, value);
    }
  }

  private Content content(Route route, Delivery delivery, byte @Nullable [] payload) {
    String contentType = delivery.message().envelope().contentType();
    Route.Mapping<?> mapping = route.mapping().orElse(null);
    return payload == null || mapping == null
        ? new Content(payload, contentType)
        : encode(mapped(mapping, delivery, payload), contentType);
  }

  private <P> @Nullable Object mapped(Route.Mapping<P> mapping, Delivery delivery, byte[] payload) {
    return mapping.function().apply(decode(mapping.payloadClass(), payload), delivery);
  }

  private <P> P decode(Class<P> payloadClass, byte[] payload) {
    if (payloadClass == byte[].class) {
      return payloadClass.cast(payload);
    }
    if (payloadClass == String.class) {
      return payloadClass.cast(new String(payload, StandardCharsets.UTF_8));
    }
    try {
      return needsCodec(payloadClass).decode(payload, payloadClass);
    } catch (PosthornException e) {
      throw new RefusedException(
          "the payload is not the %s that its route maps: %s"
              .formatted(payloadClass.getName(), e.getMessage()),
          e);
    }
  }

  private Content encode(@Nullable Object mapped, String contentType) {
    if (mapped == null) {
      return new Content(null, contentType);
    }
    if (mapped instanceof byte[] bytes) {
      return new Content(bytes, contentType);
    }
    if (mapped instanceof String text) {
      return new Content(text.getBytes(StandardCharsets.UTF_8), contentType);
    }
    PayloadCodec encoding = needsCodec(mapped.getClass());
    return new Content(encoding.encode(mapped), encoding.contentType());
  }

  private PayloadCodec needsCodec(Class<?> type) {
    if (codec == null) {
      throw new RefusedException(
          "no codec for %s, which a route maps; add posthorn-jackson or set one in the builder"
              .formatted(type.getName()),
          null);
    }
    return codec;
  }
}
