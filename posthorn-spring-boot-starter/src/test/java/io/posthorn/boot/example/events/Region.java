/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.example.events;

/** Where an order comes from. */
enum Region {
  NORTH,
  SOUTH
}
