/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Messages handed over in one call. Safe to share between threads until the handler returns, and
 * longer for those that are {@linkplain #underWay under way}.
 *
 * @param <P> what the payloads are decoded to
 * @since 0.1
 */
public final class Batch<P> {
  private final List<Item<P>> items;
  private final Predicate<Delivery> owned;
  private final BiFunction<Delivery, String, Optional<? extends Exception>> unavailable;

  public Batch(List<Item<P>> items) {
    this(items, delivery -> true, (delivery, destination) -> Optional.empty());
  }

  /**
   * @param owned whether a delivery may still begin
   * @param unavailable why a message to a destination has to wait, if it does
   */
  public Batch(
      List<Item<P>> items,
      Predicate<Delivery> owned,
      BiFunction<Delivery, String, Optional<? extends Exception>> unavailable) {
    this.items = List.copyOf(items);
    this.owned = requireNonNull(owned, "owned");
    this.unavailable = requireNonNull(unavailable, "unavailable");
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
    requireNonNull(cause, "cause");
    if (requireNonNull(item, "item").mayEnd()) {
      item.failure = cause;
      item.end();
    }
  }

  /** Says what is to become of one item. As with a failure, later ones of its key follow it. */
  public void decide(Item<P> item, DeliveryResult result) {
    requireNonNull(result, "result");
    if (requireNonNull(item, "item").mayEnd()) {
      item.decision = result;
      item.end();
    }
  }

  /**
   * Leaves one item for later: it counts as not handled, as do later ones of its key, and comes
   * again at once, with no attempt counted.
   */
  public void leave(Item<P> item) {
    if (requireNonNull(item, "item").mayEnd()) {
      item.left = true;
      item.end();
    }
  }

  /**
   * Says where an item goes, before it is sent there. If that destination is known to be
   * unavailable, or has too much without an answer, the item waits with its lane, and no attempt is
   * counted. May block for half a second.
   *
   * @return whether it has to wait; then the handler does not send it
   */
  public boolean waitsFor(Item<P> item, String destination) {
    requireNonNull(item, "item").destination = requireNonNull(destination, "destination");
    Exception reason = unavailable.apply(item.delivery(), destination).orElse(null);
    if (reason != null) {
      fail(item, reason);
    }
    return reason != null;
  }

  /**
   * Says that an item is under way: the handler may return, and the item ends when {@link #fail},
   * {@link #decide} or {@link #leave} is called for it, on any thread. The next message of its lane
   * is not handed over before. Only for handlers that get one message of each key at a time ({@link
   * HandlerSpec#batchPerKey}).
   *
   * @param late makes what the item fails with if it has not ended within the handler's time limit
   */
  public void underWay(Item<P> item, Supplier<? extends Exception> late) {
    requireNonNull(item, "item").late = requireNonNull(late, "late");
  }

  /**
   * Whether the relay still owns the partition of this item and is not about to stop. A handler
   * that takes long asks before it begins with an item, and {@linkplain #leave leaves} it
   * otherwise: another relay may deliver it already.
   */
  public boolean owned(Item<P> item) {
    return owned.test(item.delivery());
  }

  /**
   * Whether this item is under way and has not ended.
   *
   * @see #underWay
   */
  public boolean isUnderWay(Item<P> item) {
    return item.late != null && item.whenEnded.get() != Item.ENDED;
  }

  /** Runs an action when the item has ended; at once if it has. For the relay, which asks once. */
  public void whenEnded(Item<P> item, Runnable action) {
    if (!item.whenEnded.compareAndSet(null, requireNonNull(action, "action"))) {
      action.run();
    }
  }

  /** Fails an item that is under way and has taken too long, with what its handler says of it. */
  public void failLate(Item<P> item) {
    Supplier<? extends Exception> late = item.late;
    if (late != null && isUnderWay(item)) {
      fail(item, lateness(late));
    }
  }

  private static Exception lateness(Supplier<? extends Exception> late) {
    try {
      return requireNonNull(late.get(), "what an item without an answer fails with");
    } catch (RuntimeException e) { // the handler's code, on the thread that looks after all others
      return e;
    } catch (Error e) {
      return new PosthornException("what an item without an answer fails with", e);
    }
  }

  /** Where the item goes, if the handler has said so. */
  public Optional<String> destination(Item<P> item) {
    return Optional.ofNullable(item.destination);
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
    private static final Runnable ENDED = Item::nothing;

    private final @Nullable P payload;
    private final Delivery delivery;
    private volatile @Nullable Exception failure;
    private volatile @Nullable DeliveryResult decision;
    private volatile boolean left;
    private volatile @Nullable String destination;
    private volatile @Nullable Supplier<? extends Exception> late; // null: it is not under way
    private final AtomicBoolean ending = new AtomicBoolean();
    private final AtomicReference<@Nullable Runnable> whenEnded = new AtomicReference<>();

    public Item(@Nullable P payload, Delivery delivery) {
      this.payload = payload;
      this.delivery = requireNonNull(delivery, "delivery");
    }

    private static void nothing() {}

    /** What is under way ends once: an answer that comes late changes nothing. */
    private boolean mayEnd() {
      return late == null || ending.compareAndSet(false, true);
    }

    private void end() {
      Runnable action = whenEnded.getAndSet(ENDED);
      if (action != null) {
        action.run();
      }
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
