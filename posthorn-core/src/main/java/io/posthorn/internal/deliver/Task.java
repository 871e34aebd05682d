/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.Delivery;
import io.posthorn.spi.StoredMessage;
import org.jspecify.annotations.Nullable;

/**
 * A message in memory for one handler. Its row is ready while it has a pending message, else
 * deferred.
 */
final class Task {
  final Holding holding;
  final StoredMessage message;
  final Lane lane;
  final int attempts;
  final @Nullable String lastError;
  final String rowHandler;
  @Nullable PendingMessage pending; // guarded by the workload's lock

  /** A ready row. */
  Task(PendingMessage pending, Lane lane) {
    this.holding = pending.holding;
    this.message = pending.message;
    this.lane = lane;
    this.attempts = 0;
    this.lastError = null;
    this.pending = pending;
    this.rowHandler = lane.handler.name();
  }

  /** A deferred row. */
  Task(Holding holding, Lane lane, io.posthorn.spi.DeferredMessage row) {
    this.holding = holding;
    this.message = row.message();
    this.lane = lane;
    this.attempts = row.attempts();
    this.lastError = row.lastError();
    this.rowHandler = row.handler();
  }

  Delivery delivery() {
    return new Delivery(message, lane.handler.name(), attempts + 1, lastError, holding.epoch);
  }
}
