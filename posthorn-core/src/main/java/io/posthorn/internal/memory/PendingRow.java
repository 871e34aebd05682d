/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What becomes of a row of the deferred table. */
final class PendingRow extends PendingSettlement {
  private final String handler;
  private final @Nullable Lane lane;
  private final Fate fate;
  private final @Nullable LaneEntry watched;

  private PendingRow(LaneEntry entry, Fate fate, @Nullable LaneEntry watched) {
    super(entry.partition(), entry.message(), entry.claim());
    this.handler = entry.rowHandler();
    this.lane = entry.lane();
    this.fate = fate;
    this.watched = watched;
  }

  /** The end of an entry that has a row of its own. */
  PendingRow(LaneEntry entry, Fate fate) {
    this(entry, fate, null);
  }

  /** The end of a row that is not meant for a handler of this relay. */
  PendingRow(HeldPartition partition, DeferredMessage row, Window.Claim claim, Fate fate) {
    super(partition, row.message(), claim);
    this.handler = row.handler();
    this.lane = null;
    this.fate = fate;
    this.watched = null;
  }

  /** An entry that may kill the process goes on when this has been stored. */
  static PendingRow watched(LaneEntry entry, Fate fate) {
    return new PendingRow(entry, fate, entry);
  }

  String handler() {
    return handler;
  }

  /** Null if the row is not meant for a handler of this relay. */
  @Nullable Lane lane() {
    return lane;
  }

  /** The entry that goes on; null if this is the end of it. */
  @Nullable LaneEntry watched() {
    return watched;
  }

  @Override
  public boolean isSplit() {
    return false;
  }

  Settlement.Deferred settlement() {
    return settlement(message(), handler, fate);
  }

  static Settlement.Deferred settlement(StoredMessage message, String handler, Fate fate) {
    return new Settlement.Deferred(
        message.partition(),
        message.seq(),
        message.envelope().id(),
        message.envelope().key(),
        handler,
        fate);
  }

  @Override
  public Map<String, Fate.Dead> deadLetters() {
    return fate instanceof Fate.Dead dead ? Map.of(handler, dead) : Map.of();
  }
}
