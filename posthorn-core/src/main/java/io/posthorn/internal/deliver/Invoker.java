/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import static java.util.Objects.requireNonNull;

import io.posthorn.Batch;
import io.posthorn.BatchHandler;
import io.posthorn.Delivery;
import io.posthorn.DeliveryResult;
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

  /** Calls a handler that takes one message at a time. */
  <P> Answer<P> call(HandlerSpec<P> spec, Delivery delivery) {
    P payload = null;
    try {
      payload = decode(spec, delivery);
      return Answer.of(payload, handle(spec, payload, delivery));
    } catch (Throwable e) { // a worker must outlive whatever a handler throws
      return Answer.failed(payload, e);
    }
  }

  private static <P> DeliveryResult handle(
      HandlerSpec<P> spec, @Nullable P payload, Delivery delivery) throws Exception {
    Handler.Deciding<P> deciding = spec.decidingHandler().orElse(null);
    if (deciding != null) {
      return requireNonNull(
          deciding.handle(payload, delivery), "the handler returned null; it must decide");
    }
    spec.handler().orElseThrow().handle(payload, delivery);
    return DeliveryResult.delivered();
  }

  /** Calls a batch handler; one answer for each delivery. */
  <P> List<Answer<P>> call(
      BatchHandler<P> handler, HandlerSpec<P> spec, List<Delivery> deliveries) {
    List<Answer<P>> answers = new ArrayList<>();
    List<Batch.@Nullable Item<P>> items = new ArrayList<>();
    for (Delivery delivery : deliveries) {
      try {
        P payload = decode(spec, delivery);
        items.add(new Batch.Item<>(payload, delivery));
        answers.add(Answer.of(payload, DeliveryResult.delivered()));
      } catch (Undecodable | RuntimeException | Error e) { // a worker must outlive the codec too
        items.add(null);
        answers.add(Answer.failed(null, e));
      }
    }
    Batch<P> batch = new Batch<>(items.stream().filter(item -> item != null).toList());
    Throwable failure = batch.items().isEmpty() ? null : failureOf(handler, batch);
    for (int i = 0; i < items.size(); i++) {
      Batch.Item<P> item = items.get(i);
      if (item != null) {
        answers.set(i, answer(batch, item, failure));
      }
    }
    return answers;
  }

  private static <P> Answer<P> answer(
      Batch<P> batch, Batch.Item<P> item, @Nullable Throwable failureOfAll) {
    Throwable own = batch.failure(item).orElse(null);
    DeliveryResult decided = batch.decision(item).orElse(null);
    if (own != null) {
      return Answer.failed(item.payload(), own);
    }
    if (decided != null) {
      return Answer.of(item.payload(), decided);
    }
    return failureOfAll == null
        ? Answer.of(item.payload(), DeliveryResult.delivered())
        : Answer.failed(item.payload(), failureOfAll);
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
