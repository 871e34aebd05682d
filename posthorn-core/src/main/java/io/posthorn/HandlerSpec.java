/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import io.posthorn.spi.Envelope;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A handler with its stable name, the messages it takes, its limits, and what follows its failures.
 * Immutable: each method returns a changed copy.
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
  private final Class<P> payloadClass;
  private final Target<P> target;
  private final Options<P> options;

  /** What happens to the later messages of a key when one of them fails. */
  public enum LanePolicy {
    /** They wait while it is retried, and go on when it has become a dead letter. */
    HOLD,
    /** They wait while it is retried; if it becomes a dead letter, until a person decides. */
    BLOCK,
    /** They pass it. */
    PASS
  }

  /** How many deliveries of a handler begin within a time, at the most, in one relay. */
  public record RateLimit(int deliveries, Duration per) {
    public RateLimit {
      requireNonNull(per, "per");
    }
  }

  /** Exactly one of them is not null. */
  private record Target<P>(
      @Nullable Handler<P> single,
      Handler.@Nullable Deciding<P> deciding,
      @Nullable BatchHandler<P> batch) {}

  /** Changed only in a fresh copy, before that is shared; null stands for the default. */
  private static final class Options<P> {
    Set<String> types = Set.of();
    Predicate<Envelope> supports = envelope -> true;
    @Nullable Integer concurrency;
    int batchSize = 1;
    int batchPerKey = Integer.MAX_VALUE;
    boolean transactional;
    LanePolicy lanePolicy = LanePolicy.HOLD;
    Predicate<Throwable> destinationDown = DestinationDownException.class::isInstance;
    @Nullable RetryPolicy retry;
    @Nullable Duration timeLimit;
    @Nullable RateLimit rateLimit;
    Handler.@Nullable Fallback<P> fallback;
    Handler.@Nullable OnFailure<P> onFailure;

    Options<P> copy() {
      Options<P> copy = new Options<>();
      copy.types = types;
      copy.supports = supports;
      copy.concurrency = concurrency;
      copy.batchSize = batchSize;
      copy.batchPerKey = batchPerKey;
      copy.transactional = transactional;
      copy.lanePolicy = lanePolicy;
      copy.destinationDown = destinationDown;
      copy.retry = retry;
      copy.timeLimit = timeLimit;
      copy.rateLimit = rateLimit;
      copy.fallback = fallback;
      copy.onFailure = onFailure;
      return copy;
    }
  }

  private HandlerSpec(String name, Class<P> payloadClass, Target<P> target, Options<P> options) {
    this.name = requireNonNull(name, "name");
    this.payloadClass = requireNonNull(payloadClass, "payloadClass");
    this.target = target;
    this.options = options;
  }

  private HandlerSpec<P> with(Consumer<Options<P>> change) {
    Options<P> changed = options.copy();
    change.accept(changed);
    return new HandlerSpec<>(name, payloadClass, target, changed);
  }

  private static <P> HandlerSpec<P> typed(
      String name, String type, Class<P> payloadClass, Target<P> target) {
    requireNonNull(type, "type");
    return new HandlerSpec<>(name, payloadClass, target, new Options<>())
        .with(options -> options.types = Set.of(type));
  }

  /** A handler for one type. */
  public static <P> HandlerSpec<P> of(
      String name, String type, Class<P> payloadClass, Handler<P> handler) {
    return typed(
        name, type, payloadClass, new Target<>(requireNonNull(handler, "handler"), null, null));
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

  /** A handler for one type that says what is to become of each message. */
  public static <P> HandlerSpec<P> deciding(
      String name, String type, Class<P> payloadClass, Handler.Deciding<P> handler) {
    return typed(
        name, type, payloadClass, new Target<>(null, requireNonNull(handler, "handler"), null));
  }

  /**
   * A handler that gets several messages in one call.
   *
   * @param batchSize how many at the most
   */
  public static <P> HandlerSpec<P> batch(
      String name, String type, Class<P> payloadClass, int batchSize, BatchHandler<P> handler) {
    return typed(
            name, type, payloadClass, new Target<>(null, null, requireNonNull(handler, "handler")))
        .with(options -> options.batchSize = batchSize);
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
    requireNonNull(supports, "supports");
    Target<byte[]> target = new Target<>(requireNonNull(handler, "handler"), null, null);
    return new HandlerSpec<>(name, byte[].class, target, new Options<>())
        .with(options -> options.supports = supports);
  }

  /**
   * A handler that decides by itself which messages it takes, and gets several in one call.
   *
   * @param supports as of {@link #generic}
   * @param batchSize how many at the most
   */
  public static HandlerSpec<byte[]> genericBatch(
      String name, Predicate<Envelope> supports, int batchSize, BatchHandler<byte[]> handler) {
    requireNonNull(supports, "supports");
    Target<byte[]> target = new Target<>(null, null, requireNonNull(handler, "handler"));
    return new HandlerSpec<>(name, byte[].class, target, new Options<>())
        .with(
            options -> {
              options.supports = supports;
              options.batchSize = batchSize;
            });
  }

  /** Takes this type too. */
  public HandlerSpec<P> alsoType(String type) {
    requireNonNull(type, "type");
    Set<String> more =
        Stream.concat(options.types.stream(), Stream.of(type))
            .collect(Collectors.toUnmodifiableSet());
    return with(options -> options.types = more);
  }

  /** Takes messages of this aggregate type only. */
  public HandlerSpec<P> aggregateType(String aggregateType) {
    requireNonNull(aggregateType, "aggregateType");
    Predicate<Envelope> others = options.supports;
    return with(
        options ->
            options.supports =
                envelope ->
                    aggregateType.equals(envelope.aggregateType()) && others.test(envelope));
  }

  /** Takes messages of this aggregate type only. */
  public HandlerSpec<P> aggregateType(AggregateType aggregateType) {
    return aggregateType(aggregateType.aggregateTypeName());
  }

  // --- limits

  /**
   * How many deliveries of this handler run at once, at the most; by default as many as the relay
   * has workers.
   */
  public HandlerSpec<P> concurrency(int concurrency) {
    return with(options -> options.concurrency = concurrency);
  }

  /**
   * How many messages of one key a batch has at the most; as many as there are by default. With 1 a
   * batch handler may work on all its messages at once and still keep the order of each key. Only
   * for handlers that take batches.
   */
  public HandlerSpec<P> batchPerKey(int batchPerKey) {
    return with(options -> options.batchPerKey = batchPerKey);
  }

  /**
   * After this time a delivery is interrupted and counts as failed; by default the relay's {@code
   * time-limit}. Its lane waits until the handler really returns.
   */
  public HandlerSpec<P> timeLimit(Duration timeLimit) {
    requireNonNull(timeLimit, "timeLimit");
    return with(options -> options.timeLimit = timeLimit);
  }

  /** Begins no more than this many deliveries within the time, in each relay. */
  public HandlerSpec<P> rateLimit(int deliveries, Duration per) {
    RateLimit limit = new RateLimit(deliveries, per);
    return with(options -> options.rateLimit = limit);
  }

  /**
   * Runs each delivery in a transaction of its own on the outbox's data source: what the handler
   * writes with it, what it publishes, and the settling of the message are committed together or
   * not at all. The transaction is the thread's current one. Not for batch handlers.
   */
  public HandlerSpec<P> transactional() {
    return with(options -> options.transactional = true);
  }

  // --- failures

  /** Overrides the retry policies of the type and of the relay. */
  public HandlerSpec<P> retry(RetryPolicy retry) {
    requireNonNull(retry, "retry");
    return with(options -> options.retry = retry);
  }

  /** What happens to the later messages of a key when one fails; {@code HOLD} by default. */
  public HandlerSpec<P> lanePolicy(LanePolicy lanePolicy) {
    requireNonNull(lanePolicy, "lanePolicy");
    return with(options -> options.lanePolicy = lanePolicy);
  }

  /**
   * Says which failures mean that the destination is down, beside {@link DestinationDownException}.
   * They count no attempt and open the handler's circuit.
   */
  public HandlerSpec<P> destinationDown(Predicate<Throwable> failure) {
    requireNonNull(failure, "failure");
    Predicate<Throwable> others = options.destinationDown;
    return with(options -> options.destinationDown = others.or(failure));
  }

  /** As {@link #destinationDown(Predicate)}, by the class of the failure. */
  public HandlerSpec<P> destinationDown(Class<? extends Throwable> failure) {
    return destinationDown(requireNonNull(failure, "failure")::isInstance);
  }

  /** Called when the attempts are used up or the failure is not to be retried. */
  public HandlerSpec<P> fallback(Handler.Fallback<P> fallback) {
    requireNonNull(fallback, "fallback");
    return with(options -> options.fallback = fallback);
  }

  /** Asked after each failed delivery, before the retry policy. */
  public HandlerSpec<P> onFailure(Handler.OnFailure<P> onFailure) {
    requireNonNull(onFailure, "onFailure");
    return with(options -> options.onFailure = onFailure);
  }

  // --- what was set

  public String name() {
    return name;
  }

  /** The types it takes; empty if it decides by itself. */
  public Set<String> types() {
    return options.types;
  }

  /** Whether it takes this message. */
  public boolean takes(Envelope envelope) {
    return (options.types.isEmpty() || options.types.contains(envelope.type()))
        && options.supports.test(envelope);
  }

  public Class<P> payloadClass() {
    return payloadClass;
  }

  /** Present if it neither decides nor takes batches. */
  public Optional<Handler<P>> handler() {
    return Optional.ofNullable(target.single);
  }

  /** Present if it says what is to become of each message. */
  public Optional<Handler.Deciding<P>> decidingHandler() {
    return Optional.ofNullable(target.deciding);
  }

  /** Present if it takes batches. */
  public Optional<BatchHandler<P>> batchHandler() {
    return Optional.ofNullable(target.batch);
  }

  /** Empty: as many as the relay has workers. */
  public OptionalInt concurrency() {
    Integer set = options.concurrency;
    return set == null ? OptionalInt.empty() : OptionalInt.of(set);
  }

  public int batchSize() {
    return options.batchSize;
  }

  public int batchPerKey() {
    return options.batchPerKey;
  }

  /** Empty: the relay's. */
  public Optional<Duration> timeLimit() {
    return Optional.ofNullable(options.timeLimit);
  }

  public Optional<RateLimit> rateLimit() {
    return Optional.ofNullable(options.rateLimit);
  }

  /** Whether deliveries and their settling are one transaction. */
  public boolean isTransactional() {
    return options.transactional;
  }

  /** Empty: that of the type, or the relay's. */
  public Optional<RetryPolicy> retry() {
    return Optional.ofNullable(options.retry);
  }

  public LanePolicy lanePolicy() {
    return options.lanePolicy;
  }

  /** Whether this failure means that the destination is down. */
  public boolean saysDestinationDown(Throwable failure) {
    return options.destinationDown.test(failure);
  }

  public Optional<Handler.Fallback<P>> fallback() {
    return Optional.ofNullable(options.fallback);
  }

  public Optional<Handler.OnFailure<P>> onFailure() {
    return Optional.ofNullable(options.onFailure);
  }
}
