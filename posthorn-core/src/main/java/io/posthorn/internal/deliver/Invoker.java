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
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Decodes payloads to the class that a handler declares, and calls it. */
final class Invoker {
  private final @Nullable PayloadCodec codec;
  private final Upcasters upcasters;
  private final Interceptors interceptors;

  /** In place of a failure: the item was not handed over, for an earlier one of its key failed. */
  static final class Withheld extends Exception {
    private static final long serialVersionUID = 1L;

    Withheld() {
      super(
          "not begun with: an earlier message of its key failed, or the handler left it for later",
          null,
          false,
          false);
    }
  }

  /** In place of a failure: the item was not sent, for its destination is unavailable. */
  static final class Waiting extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Duration delay;
    private final String reason;

    Waiting(Duration delay, String reason) {
      super(reason, null, false, false);
      this.delay = delay;
      this.reason = reason;
    }

    String reason() {
      return reason;
    }

    /** How long it waits. */
    Duration delay() {
      return delay;
    }
  }

  /**
   * What a call of a batch handler came to.
   *
   * @param attempts one for each delivery; null for those under way, {@link Withheld} for those
   *     that were not handed over
   */
  record Called<P>(List<@Nullable Attempt<P>> attempts, List<UnderWay<P>> underWay) {}

  /**
   * A delivery that goes on after the handler has returned.
   *
   * @param index its place among the deliveries
   * @param ended tells the interceptors
   */
  record UnderWay<P>(
      int index,
      HandlerSpec<P> spec,
      Batch<P> batch,
      Batch.Item<P> item,
      Consumer<@Nullable Throwable> ended) {
    /** What came of it, once it has ended. */
    Attempt<P> attempt() {
      return Invoker.attempt(spec, batch, item, null, new HashSet<>());
    }
  }

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
  Invoker(@Nullable PayloadCodec codec, Upcasters upcasters, Interceptors interceptors) {
    this.codec = codec;
    this.upcasters = upcasters;
    this.interceptors = interceptors;
  }

  /** Calls a handler that takes one message at a time. */
  <P> Attempt<P> call(HandlerSpec<P> spec, Delivery delivery) {
    P payload = null;
    try {
      P decoded = decode(spec, delivery);
      payload = decoded;
      DeliveryResult result = interceptors.around(delivery, () -> handle(spec, decoded, delivery));
      return Attempt.ended(spec, delivery, payload, result);
    } catch (Throwable e) { // a worker must outlive whatever a handler throws
      return Attempt.failed(spec, delivery, payload, e);
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

  /**
   * Calls a batch handler. What fails before that is not handed over, nor are later ones of its
   * key.
   */
  <P> Called<P> call(
      BatchHandler<P> handler,
      HandlerSpec<P> spec,
      List<Delivery> deliveries,
      Predicate<Delivery> owned,
      BiFunction<Delivery, String, Optional<? extends Exception>> unavailable) {
    List<@Nullable Attempt<P>> attempts = new ArrayList<>();
    List<Batch.@Nullable Item<P>> items = new ArrayList<>();
    Set<String> failedKeys = new HashSet<>();
    for (Delivery delivery : deliveries) {
      Batch.Item<P> item = null;
      Throwable failure = failedKeys.contains(delivery.key()) ? new Withheld() : null;
      try {
        item = failure == null ? item(spec, delivery) : null;
      } catch (Throwable e) { // a worker must outlive the codec and interceptors too
        failure = e;
        noteKey(failedKeys, delivery.key());
      }
      items.add(item);
      attempts.add(new Attempt<>(spec, delivery, null, null, failure, null));
    }
    Batch<P> batch =
        new Batch<>(items.stream().filter(item -> item != null).toList(), owned, unavailable);
    Throwable failure = batch.items().isEmpty() ? null : failureOf(handler, batch);
    Set<String> passedOver = new HashSet<>();
    for (int i = 0; i < items.size(); i++) {
      Batch.Item<P> item = items.get(i);
      if (item != null) {
        boolean goesOn = spec.batchPerKey() == 1 && batch.isUnderWay(item);
        attempts.set(i, goesOn ? null : attempt(spec, batch, item, failure, passedOver));
      }
    }
    List<UnderWay<P>> underWay = new ArrayList<>(0);
    // The last one first: interceptors of a batch nest, as scopes of a thread must.
    for (int i = items.size() - 1; i >= 0; i--) {
      Batch.Item<P> item = items.get(i);
      Attempt<P> attempt = attempts.get(i);
      if (attempt == null && item != null) {
        underWay.add(new UnderWay<>(i, spec, batch, item, interceptors.suspend(deliveries.get(i))));
      } else if (attempt != null && item != null) {
        interceptors.after(deliveries.get(i), attempt.failure());
      }
    }
    return new Called<>(attempts, underWay);
  }

  /**
   * @param passedOver keys of earlier items that are not done; a handler passes over later ones of
   *     these, so what it does not mark is not done either
   */
  private static <P> Attempt<P> attempt(
      HandlerSpec<P> spec,
      Batch<P> batch,
      Batch.Item<P> item,
      @Nullable Throwable failureOfAll,
      Set<String> passedOver) {
    Throwable failure = batch.failure(item).orElse(null);
    DeliveryResult result = failure == null ? batch.decision(item).orElse(null) : null;
    boolean marked = failure != null || result != null || batch.isLeft(item);
    if (failure == null && result == null) {
      boolean withheld = marked || passedOver.contains(item.delivery().key());
      failure = withheld ? new Withheld() : failureOfAll;
      result = failure == null ? DeliveryResult.delivered() : null;
    }
    Attempt<P> attempt =
        new Attempt<>(spec, item.delivery(), item.payload(), result, failure, null)
            .to(batch.destination(item).orElse(null));
    if (marked && !attempt.done()) {
      noteKey(passedOver, item.delivery().key());
    }
    return attempt;
  }

  private <P> Batch.Item<P> item(HandlerSpec<P> spec, Delivery delivery) throws Exception {
    Batch.Item<P> item = new Batch.Item<>(decode(spec, delivery), delivery);
    interceptors.before(delivery);
    return item;
  }

  private static void noteKey(Set<String> keys, @Nullable String key) {
    if (key != null) {
      keys.add(key);
    }
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
    byte[] payload = upcasters.payload(delivery.message().envelope());
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
