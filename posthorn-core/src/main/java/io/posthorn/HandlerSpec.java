/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import io.posthorn.spi.Envelope;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A handler with its stable name, the messages it takes, and its limits. Immutable: each method
 * returns a changed copy.
 *
 * <pre>{@code
 * HandlerSpec.of("mailer", "order-placed", Order.class, (order, delivery) -> mail.send(order)).concurrency(4)
 * }</pre>
 *
 * @param <P> what the payload is decoded to; {@code byte[]} and {@code String} are handed over as
 *     they are
 * @since 0.1
 */
public final class HandlerSpec<P> {
  private final String name;
  private final Set<String> types;
  private final Predicate<Envelope> supports;
  private final Class<P> payloadClass;
  private final @Nullable Handler<P> handler;
  private final @Nullable BatchHandler<P> batchHandler;
  private final Limits limits;

  /** What a handler may use, and how it retries; 0 and null stand for the relay's defaults. */
  private record Limits(int concurrency, int batchSize, @Nullable RetryPolicy retry) {}

  private HandlerSpec(
      String name,
      Set<String> types,
      Predicate<Envelope> supports,
      Class<P> payloadClass,
      @Nullable Handler<P> handler,
      @Nullable BatchHandler<P> batchHandler,
      Limits limits) {
    this.name = requireNonNull(name, "name");
    this.types = Set.copyOf(types);
    this.supports = requireNonNull(supports, "supports");
    this.payloadClass = requireNonNull(payloadClass, "payloadClass");
    this.handler = handler;
    this.batchHandler = batchHandler;
    this.limits = limits;
  }

  /** A handler for one type. */
  public static <P> HandlerSpec<P> of(
      String name, String type, Class<P> payloadClass, Handler<P> handler) {
    return new HandlerSpec<>(
        name,
        Set.of(requireNonNull(type, "type")),
        envelope -> true,
        payloadClass,
        requireNonNull(handler, "handler"),
        null,
        new Limits(0, 1, null));
  }

  /**
   * A handler for a type that is a constant.
   *
   * @throws IllegalArgumentException if the type does not name its payload class
   */
  public static <P> HandlerSpec<P> of(String name, MessageType<P> type, Handler<P> handler) {
    Class<P> payloadClass = type.payloadClass();
    if (payloadClass == null) {
      throw new IllegalArgumentException(
          "type \"%s\" of handler \"%s\" names no payload class; pass the class, or let payloadClass() return it"
              .formatted(type.typeName(), name));
    }
    return of(name, type.typeName(), payloadClass, handler);
  }

  /**
   * A handler that gets several messages in one call.
   *
   * @param batchSize how many at the most
   */
  public static <P> HandlerSpec<P> batch(
      String name, String type, Class<P> payloadClass, int batchSize, BatchHandler<P> handler) {
    return new HandlerSpec<>(
        name,
        Set.of(requireNonNull(type, "type")),
        envelope -> true,
        payloadClass,
        null,
        requireNonNull(handler, "handler"),
        new Limits(0, batchSize, null));
  }

  /**
   * A handler that decides by itself which messages it takes, after the typed handlers had the
   * first look.
   *
   * @param supports called for every message by the relay's reader; must be quick and depend on the
   *     message only
   */
  public static HandlerSpec<byte[]> generic(
      String name, Predicate<Envelope> supports, Handler<byte[]> handler) {
    return new HandlerSpec<>(
        name,
        Set.of(),
        supports,
        byte[].class,
        requireNonNull(handler, "handler"),
        null,
        new Limits(0, 1, null));
  }

  /** Takes this type too. */
  public HandlerSpec<P> alsoType(String type) {
    requireNonNull(type, "type");
    Set<String> more =
        Stream.concat(types.stream(), Stream.of(type)).collect(Collectors.toUnmodifiableSet());
    return new HandlerSpec<>(name, more, supports, payloadClass, handler, batchHandler, limits);
  }

  /** Takes messages of this aggregate type only. */
  public HandlerSpec<P> aggregateType(String aggregateType) {
    requireNonNull(aggregateType, "aggregateType");
    return new HandlerSpec<>(
        name,
        types,
        envelope -> aggregateType.equals(envelope.aggregateType()) && supports.test(envelope),
        payloadClass,
        handler,
        batchHandler,
        limits);
  }

  /** Takes messages of this aggregate type only. */
  public HandlerSpec<P> aggregateType(AggregateType aggregateType) {
    return aggregateType(aggregateType.aggregateTypeName());
  }

  /**
   * How many deliveries of this handler run at once, at the most; by default as many as the relay
   * has workers.
   */
  public HandlerSpec<P> concurrency(int concurrency) {
    return with(new Limits(concurrency, limits.batchSize, limits.retry));
  }

  /** Overrides the relay's retry policy. */
  public HandlerSpec<P> retry(RetryPolicy retry) {
    return with(new Limits(limits.concurrency, limits.batchSize, requireNonNull(retry, "retry")));
  }

  private HandlerSpec<P> with(Limits changed) {
    return new HandlerSpec<>(name, types, supports, payloadClass, handler, batchHandler, changed);
  }

  public String name() {
    return name;
  }

  /** The types it takes; empty if it decides by itself. */
  public Set<String> types() {
    return types;
  }

  /** Whether it takes this message. */
  public boolean takes(Envelope envelope) {
    return (types.isEmpty() || types.contains(envelope.type())) && supports.test(envelope);
  }

  public Class<P> payloadClass() {
    return payloadClass;
  }

  /** Present unless it takes batches. */
  public Optional<Handler<P>> handler() {
    return Optional.ofNullable(handler);
  }

  /** Present if it takes batches. */
  public Optional<BatchHandler<P>> batchHandler() {
    return Optional.ofNullable(batchHandler);
  }

  /** 0: as many as the relay has workers. */
  public int concurrency() {
    return limits.concurrency;
  }

  public int batchSize() {
    return limits.batchSize;
  }

  /** Empty: the relay's. */
  public Optional<RetryPolicy> retry() {
    return Optional.ofNullable(limits.retry);
  }
}
