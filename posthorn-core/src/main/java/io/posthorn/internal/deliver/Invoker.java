/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.Batch;
import io.posthorn.BatchHandler;
import io.posthorn.Delivery;
import io.posthorn.Handler;
import io.posthorn.HandlerSpec;
import io.posthorn.PosthornException;
import io.posthorn.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decodes payloads to the class that a handler declares, and calls it. */
final class Invoker {
  private final @Nullable PayloadCodec codec;

  /** The payload is not what the handler declares; trying again is of no use. */
  static final class Undecodable extends Exception {
    private static final long serialVersionUID = 1L;

    Undecodable(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * @param codec null if there is none; then only bytes and text can be handed over
   */
  Invoker(@Nullable PayloadCodec codec) {
    this.codec = codec;
  }

  <P> void call(Handler<P> handler, HandlerSpec<P> spec, Delivery delivery) throws Exception {
    handler.handle(decode(spec, delivery), delivery);
  }

  /**
   * Calls a batch handler.
   *
   * @return for each delivery why it failed, or null
   */
  <P> List<@Nullable Throwable> call(
      BatchHandler<P> handler, HandlerSpec<P> spec, List<Delivery> deliveries) {
    List<@Nullable Throwable> failures = new ArrayList<>();
    List<Batch.@Nullable Item<P>> items = new ArrayList<>();
    for (Delivery delivery : deliveries) {
      try {
        items.add(new Batch.Item<>(decode(spec, delivery), delivery));
        failures.add(null);
      } catch (Undecodable | RuntimeException | Error e) { // a worker must outlive the codec too
        items.add(null);
        failures.add(e);
      }
    }
    Batch<P> batch = new Batch<>(items.stream().filter(item -> item != null).toList());
    Throwable failure = batch.items().isEmpty() ? null : failureOf(handler, batch);
    for (int i = 0; i < items.size(); i++) {
      Batch.Item<P> item = items.get(i);
      if (item != null) {
        Throwable own = batch.failure(item).orElse(null);
        failures.set(i, own == null ? failure : own);
      }
    }
    return failures;
  }

  private static <P> @Nullable Throwable failureOf(BatchHandler<P> handler, Batch<P> batch) {
    try {
      handler.handle(batch);
      return null;
    } catch (Throwable e) { // a worker must outlive whatever a handler throws
      return e;
    }
  }

  private <P> @Nullable P decode(HandlerSpec<P> spec, Delivery delivery) throws Undecodable {
    byte[] payload = delivery.message().envelope().payload();
    Class<P> type = spec.payloadClass();
    if (payload == null) {
      return null;
    }
    if (type == byte[].class) {
      return type.cast(payload.clone());
    }
    if (type == String.class) {
      return type.cast(new String(payload, StandardCharsets.UTF_8));
    }
    return decode(payload, type, delivery);
  }

  private <P> P decode(byte[] payload, Class<P> type, Delivery delivery) throws Undecodable {
    if (codec == null) {
      throw new Undecodable(
          "no codec to decode the payload to "
              + type.getName()
              + "; add posthorn-jackson or set one in the builder",
          new PosthornException("no codec"));
    }
    try {
      return codec.decode(payload, type);
    } catch (RuntimeException e) {
      throw new Undecodable(
          "the payload of message \"%s\" (%s, %d bytes) is not a %s: %s"
              .formatted(
                  delivery.messageId(),
                  delivery.message().envelope().contentType(),
                  payload.length,
                  type.getName(),
                  e.getMessage()),
          e);
    }
  }
}
