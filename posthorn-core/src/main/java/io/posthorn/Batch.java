/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Messages handed over in one call. Safe to share between threads until the handler returns.
 *
 * @param <P> what the payloads are decoded to
 * @since 0.1
 */
public final class Batch<P> {
  private final List<Item<P>> items;
  private final Predicate<Delivery> owned;

  public Batch(List<Item<P>> items) {
    this(items, delivery -> true);
  }

  /**
   * @param owned whether a delivery may still begin
   */
  public Batch(List<Item<P>> items, Predicate<Delivery> owned) {
    this.items = List.copyOf(items);
    this.owned = requireNonNull(owned, "owned");
  }

  /** In the order in which they are to be handled. */
  public List<Item<P>> items() {
    return items;
  }

  /**
   * Marks one item as failed. Later items of the same key count as not handled and come again after
   * it, so a handler passes them over.
   */
  public void fail(Item<P> item, Exception cause) {
    requireNonNull(item, "item").failure = requireNonNull(cause, "cause");
  }

  /** Says what is to become of one item. As with a failure, later ones of its key follow it. */
  public void decide(Item<P> item, DeliveryResult result) {
    requireNonNull(item, "item").decision = requireNonNull(result, "result");
  }

  /**
   * Leaves one item for later: it counts as not handled, as do later ones of its key, and comes
   * again at once, with no attempt counted.
   */
  public void leave(Item<P> item) {
    requireNonNull(item, "item").left = true;
  }

  /**
   * Whether the relay still owns the partition of this item and is not about to stop. A handler
   * that takes long asks before it begins with an item, and {@linkplain #leave leaves} it
   * otherwise: another relay may deliver it already.
   */
  public boolean owned(Item<P> item) {
    return owned.test(item.delivery());
  }

  /** Whether this item was left for later. */
  public boolean isLeft(Item<P> item) {
    return item.left;
  }

  /** What was decided about this item, if anything was. */
  public Optional<DeliveryResult> decision(Item<P> item) {
    return Optional.ofNullable(item.decision);
  }

  /** Why this item failed, if it was marked. */
  public Optional<Exception> failure(Item<P> item) {
    return Optional.ofNullable(item.failure);
  }

  /**
   * One message of one batch. Equal only to itself.
   *
   * @param <P> what the payload is decoded to
   */
  public static final class Item<P> {
    private final @Nullable P payload;
    private final Delivery delivery;
    private volatile @Nullable Exception failure;
    private volatile @Nullable DeliveryResult decision;
    private volatile boolean left;

    public Item(@Nullable P payload, Delivery delivery) {
      this.payload = payload;
      this.delivery = requireNonNull(delivery, "delivery");
    }

    /** Null if the message is a tombstone. */
    public @Nullable P payload() {
      return payload;
    }

    public Delivery delivery() {
      return delivery;
    }
  }
}
