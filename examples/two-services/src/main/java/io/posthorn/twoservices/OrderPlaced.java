/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.twoservices;

/**
 * What the warehouse is told.
 *
 * @param id of the order
 */
public record OrderPlaced(long id, String item, int amount) {
  static final String TYPE = "order-placed";
  static final String TOPIC = "orders";
}
