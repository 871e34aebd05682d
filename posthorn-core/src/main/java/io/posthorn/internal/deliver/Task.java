/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.Delivery;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
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
  final boolean suspect;
  boolean recording; // guarded by the workload's lock; that it will be delivered is being stored
  @Nullable PendingMessage pending; // guarded by the workload's lock
  @Nullable PendingMessage split; // guarded by the workload's lock; what its row comes from

  /** A ready row. */
  Task(PendingMessage pending, Lane lane) {
    this.holding = pending.holding;
    this.message = pending.message;
    this.lane = lane;
    this.attempts = 0;
    this.lastError = null;
    this.suspect = false;
    this.pending = pending;
    this.rowHandler = lane.handler.name();
  }

  /** A deferred row. */
  Task(Holding holding, Lane lane, DeferredMessage row) {
    this.holding = holding;
    this.message = row.message();
    this.lane = lane;
    this.attempts = row.attempts();
    this.lastError = row.lastError();
    this.suspect = row.reason() == DeferReason.SUSPECT;
    this.rowHandler = row.handler();
  }

  Delivery delivery() {
    return new Delivery(message, lane.handler.name(), attempts + 1, lastError, holding.epoch);
  }

  /** Whether it is stored before that it will be delivered. */
  boolean needsCare() {
    return suspect || holding.cautious;
  }
}
