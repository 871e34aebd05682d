/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test;

import static java.util.Objects.requireNonNull;

import io.posthorn.Delivery;

/**
 * A delivery that did not succeed.
 *
 * @param cause what the handler threw, or why it could not be called
 * @since 0.1
 */
public record FailedDelivery(Delivery delivery, Throwable cause) {
  public FailedDelivery {
    requireNonNull(delivery, "delivery");
    requireNonNull(cause, "cause");
  }
}
