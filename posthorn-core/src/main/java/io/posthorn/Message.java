/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One thing to deliver. Immutable, and safe to share between threads.
 *
 * <pre>{@code
 * Message.of("order-placed").key(order.id()).payload(order).header("source", "web").build();
 * }</pre>
 *
 * @since 0.1
 */
public final class Message {
  /** The header by which handlers and brokers see the idempotency key; not to be set by hand. */
  public static final String IDEMPOTENCY_KEY_HEADER = "posthorn-idempotency-key";

  private final String type;
  private final @Nullable Object payload;
  private final @Nullable String contentType;
  private final @Nullable String key;
  private final Map<String, String> headers;
  private final @Nullable String tenant;
  private final @Nullable String aggregateType;
  private final @Nullable UUID id;
  private final @Nullable Instant occurredAt;
  private final @Nullable Instant expiresAt;
  private final @Nullable Duration deliverAfter;
  private final @Nullable Instant deliverAt;
  private final @Nullable String idempotencyKey;

  private Message(Builder from) {
    this.type = from.type;
    this.payload = copied(from.payload);
    this.contentType = from.contentType;
    this.key = from.key;
    this.headers = Map.copyOf(from.headers);
    this.tenant = from.tenant;
    this.aggregateType = from.aggregateType;
    this.id = from.id;
    this.occurredAt = from.occurredAt;
    this.expiresAt = from.expiresAt;
    this.deliverAfter = from.deliverAfter;
    this.deliverAt = from.deliverAt;
    this.idempotencyKey = from.idempotencyKey;
  }

  /** Begins a message of the type with this stable logical name. */
  public static Builder of(String type) {
    return new Builder(type);
  }

  /** Begins a message of this type, with its aggregate type. */
  public static Builder of(MessageType<?> type) {
    Builder builder = new Builder(type.typeName());
    AggregateType aggregateType = type.aggregateType();
    return aggregateType == null ? builder : builder.aggregateType(aggregateType);
  }

  public String type() {
    return type;
  }

  /** The object, JSON text or bytes to deliver; null is a tombstone. Bytes are copied. */
  public @Nullable Object payload() {
    return copied(payload);
  }

  /** What the payload is, or null to let its class decide. */
  public @Nullable String contentType() {
    return contentType;
  }

  /** Messages with the same key are delivered in order; null: this one may go at any time. */
  public @Nullable String key() {
    return key;
  }

  public Map<String, String> headers() {
    return headers;
  }

  /** Null if the application knows no tenants. */
  public @Nullable String tenant() {
    return tenant;
  }

  /** The kind of aggregate that this tells about, or null. */
  public @Nullable String aggregateType() {
    return aggregateType;
  }

  /** Null until published, unless given by hand. */
  public @Nullable UUID id() {
    return id;
  }

  /** When it happened, or null: when it is published. */
  public @Nullable Instant occurredAt() {
    return occurredAt;
  }

  /** From when on it is no longer delivered, or null: never. */
  public @Nullable Instant expiresAt() {
    return expiresAt;
  }

  /** How long it waits before it is delivered, or null: no such delay. */
  public @Nullable Duration deliverAfter() {
    return deliverAfter;
  }

  /** When it is delivered at the earliest, or null: no such time. */
  public @Nullable Instant deliverAt() {
    return deliverAt;
  }

  /** Under which it is published once only, or null. */
  public @Nullable String idempotencyKey() {
    return idempotencyKey;
  }

  /** Begins another message that has all that this one has. */
  public Builder toBuilder() {
    Builder builder = new Builder(type);
    builder.payload = payload;
    builder.contentType = contentType;
    builder.key = key;
    builder.headers.putAll(headers);
    builder.tenant = tenant;
    builder.aggregateType = aggregateType;
    builder.id = id;
    builder.occurredAt = occurredAt;
    builder.expiresAt = expiresAt;
    builder.deliverAfter = deliverAfter;
    builder.deliverAt = deliverAt;
    builder.idempotencyKey = idempotencyKey;
    return builder;
  }

  /** Names type, key and id; never the payload. */
  @Override
  public String toString() {
    return "Message[type=" + type + ", key=" + key + ", id=" + id + "]";
  }

  private static @Nullable Object copied(@Nullable Object payload) {
    return payload instanceof byte[] bytes ? bytes.clone() : payload;
  }

  /** Collects what makes a message. Not safe to share between threads. */
  public static final class Builder {
    private final String type;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private @Nullable Object payload;
    private @Nullable String contentType;
    private @Nullable String key;
    private @Nullable String tenant;
    private @Nullable String aggregateType;
    private @Nullable UUID id;
    private @Nullable Instant occurredAt;
    private @Nullable Instant expiresAt;
    private @Nullable Duration deliverAfter;
    private @Nullable Instant deliverAt;
    private @Nullable String idempotencyKey;

    private Builder(String type) {
      this.type = requireNonNull(type, "type");
    }

    /**
     * @param payload an object that the codec can write; a String, taken as JSON text as it is; a
     *     byte array; or null, a tombstone
     */
    public Builder payload(@Nullable Object payload) {
      this.payload = payload;
      return this;
    }

    /** Overrides the content type that follows from the payload's class. */
    public Builder contentType(String contentType) {
      this.contentType = requireNonNull(contentType, "contentType");
      return this;
    }

    /**
     * @param key at most 255 characters; null: no order
     */
    public Builder key(@Nullable String key) {
      this.key = key;
      return this;
    }

    public Builder header(String name, String value) {
      headers.put(requireNonNull(name, "name"), requireNonNull(value, "value"));
      return this;
    }

    public Builder headers(Map<String, String> more) {
      more.forEach(this::header);
      return this;
    }

    public Builder tenant(@Nullable String tenant) {
      this.tenant = tenant;
      return this;
    }

    public Builder aggregateType(@Nullable String aggregateType) {
      this.aggregateType = aggregateType;
      return this;
    }

    public Builder aggregateType(AggregateType aggregateType) {
      return aggregateType(aggregateType.aggregateTypeName());
    }

    /** Sets the id instead of having one made. It must be unique. */
    public Builder id(UUID id) {
      this.id = requireNonNull(id, "id");
      return this;
    }

    public Builder occurredAt(Instant occurredAt) {
      this.occurredAt = requireNonNull(occurredAt, "occurredAt");
      return this;
    }

    /** From this instant of the database's clock on it is dropped instead of delivered. */
    public Builder expiresAt(Instant expiresAt) {
      this.expiresAt = requireNonNull(expiresAt, "expiresAt");
      return this;
    }

    /**
     * Delays it: it stands in no order with other messages, and is delivered as if it had been
     * published when the time has passed.
     *
     * @param delay from when the row is written, just before the commit; at most {@link
     *     RetryPolicy#LONGEST_DELAY}, and not together with {@link #deliverAt}
     */
    public Builder deliverAfter(Duration delay) {
      this.deliverAfter = requireNonNull(delay, "delay");
      return this;
    }

    /**
     * Delays it, as {@link #deliverAfter} does, until an instant of the database's clock; one that
     * has passed means at once.
     */
    public Builder deliverAt(Instant time) {
      this.deliverAt = requireNonNull(time, "time");
      return this;
    }

    /**
     * Lets it be published once only: a second publish with the same key within {@link
     * PublishOptions#idempotencyRetention} publishes nothing and answers with the first one's id.
     *
     * @param idempotencyKey 1 to 255 characters, the same for all types; handlers see it as {@link
     *     Delivery#idempotencyKey}
     */
    public Builder idempotencyKey(String idempotencyKey) {
      this.idempotencyKey = requireNonNull(idempotencyKey, "idempotencyKey");
      return this;
    }

    public Message build() {
      return new Message(this);
    }
  }
}
