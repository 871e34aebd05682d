/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.Delivery;
import io.posthorn.DeliveryResult;
import io.posthorn.DestinationDownException;
import io.posthorn.HandlerSpec;
import io.posthorn.internal.policy.ErrorText;
import io.posthorn.spi.MessageStore.Settled;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a call of a handler ended: with a result or with a failure.
 *
 * @param payload what the handler got; null also if it could not be decoded
 * @param result null if it failed
 * @param failure null if there is a result
 * @param settled what became of it in the handler's transaction; null if nothing was stored yet. If
 *     it is not {@link Settled#DONE}, all that the handler did was rolled back
 * @param destination where the handler sent it; null if it did not say so
 */
record Attempt<P>(
    HandlerSpec<P> spec,
    Delivery delivery,
    @Nullable P payload,
    @Nullable DeliveryResult result,
    @Nullable Throwable failure,
    @Nullable Settled settled,
    @Nullable String destination) {
  Attempt(
      HandlerSpec<P> spec,
      Delivery delivery,
      @Nullable P payload,
      @Nullable DeliveryResult result,
      @Nullable Throwable failure,
      @Nullable Settled settled) {
    this(spec, delivery, payload, result, failure, settled, null);
  }

  static <P> Attempt<P> ended(
      HandlerSpec<P> spec, Delivery delivery, @Nullable P payload, DeliveryResult result) {
    return new Attempt<>(spec, delivery, payload, result, null, null);
  }

  static <P> Attempt<P> failed(
      HandlerSpec<P> spec, Delivery delivery, @Nullable P payload, Throwable failure) {
    return new Attempt<>(spec, delivery, payload, null, failure, null);
  }

  /** The same call, with this failure. */
  Attempt<P> failed(Throwable cause) {
    return failed(spec, delivery, payload, cause).to(destination);
  }

  /** The same, of a message that went there; null if that is not known. */
  Attempt<P> to(@Nullable String where) {
    return new Attempt<>(spec, delivery, payload, result, failure, settled, where);
  }

  Attempt<P> settled(Settled how) {
    return new Attempt<>(spec, delivery, payload, result, failure, how, destination);
  }

  /** Whether the handler is done with the message. */
  boolean done() {
    return result instanceof DeliveryResult.Delivered || result instanceof DeliveryResult.Ignored;
  }

  /**
   * Whether it shows that the handler's destination can be reached. That one of several
   * destinations is unavailable may be known without asking, or by silence.
   */
  boolean reached() {
    return !(failure instanceof Invoker.Waiting || failure instanceof DestinationDownException);
  }

  /**
   * The same, of a delivery that was interrupted because it took too long. Silence is how many a
   * destination is down, so a handler that says this of it is believed. That its connection to the
   * database broke says nothing: the interrupt may have done it.
   */
  Attempt<P> overdue(Duration limit) {
    boolean saysDown =
        failure instanceof DestinationDownException
            && !(failure instanceof InTransaction.DatabaseLost);
    return failure == null
            || saysDown
            || failure instanceof Invoker.Withheld
            || failure instanceof Invoker.Waiting
        ? this
        : failed(new Overdue(limit, failure));
  }

  /**
   * The same, of a handler that has left a transaction open.
   *
   * @param leftover null if it has not
   */
  Attempt<P> leaving(@Nullable Throwable leftover) {
    if (leftover != null && failure != null) {
      failure.addSuppressed(leftover);
    }
    return leftover == null || failure != null || settled != null ? this : failed(leftover);
  }

  /** A delivery was interrupted because it took too long. */
  static final class Overdue extends Exception {
    private static final long serialVersionUID = 1L;

    Overdue(Duration limit, Throwable cause) {
      super(
          "the handler was interrupted after its time limit of "
              + limit
              + ": "
              + ErrorText.of(cause),
          cause);
    }
  }
}
