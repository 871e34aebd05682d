/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

/** What the hand-written outbox stores of a message. */
enum LimitRow {
  /** What a consumer needs: id, type and time too. */
  FULL,

  /** Key and payload only: less cannot be stored. */
  LEAN
}
