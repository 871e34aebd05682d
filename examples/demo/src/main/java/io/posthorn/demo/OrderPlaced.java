/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import org.jspecify.annotations.Nullable;

/**
 * The payload of every message of the demo.
 *
 * @param customer the key; null: a guest, whose orders have no order among them
 * @param number counts the orders of one customer, without a gap; 0 for guests
 * @param poisoned whether no mail about it can be sent until its address is mended
 */
record OrderPlaced(@Nullable String customer, long number, int cents, boolean poisoned) {
  static final String TYPE = "order-placed";
}
