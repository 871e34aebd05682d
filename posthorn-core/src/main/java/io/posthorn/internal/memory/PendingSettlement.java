/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.spi.Fate;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is to be stored about one row, with what is to be done in memory afterwards. */
public sealed interface PendingSettlement {
  HeldPartition partition();

  StoredMessage message();

  /** The life of the relay in which its partition was taken. */
  default RelayIdentity owner() {
    return partition().owner();
  }

  /** Its dead letters, by handler. */
  default Map<String, Fate.Dead> deadLetters() {
    return Map.of();
  }

  /** Names the message; for logs. */
  default String describe() {
    return "\"%s\" (partition %d, seq %d)"
        .formatted(message().envelope().id(), message().partition(), message().seq());
  }

  /** An entry's own row and what becomes of it. */
  static Settlement.Deferred of(LaneEntry entry, Fate fate) {
    return of(entry.message(), entry.rowHandler(), fate);
  }

  private static Settlement.Deferred of(StoredMessage message, String rowHandler, Fate fate) {
    return new Settlement.Deferred(
        message.partition(),
        message.seq(),
        message.envelope().id(),
        message.envelope().key(),
        rowHandler,
        fate);
  }

  /** A row that leaves the ready table. */
  final class OfReady implements PendingSettlement {
    private final PendingMessage pending;

    OfReady(PendingMessage pending) {
      this.pending = pending;
    }

    PendingMessage pending() {
      return pending;
    }

    @Override
    public HeldPartition partition() {
      return pending.partition();
    }

    @Override
    public StoredMessage message() {
      return pending.message();
    }

    public Settlement.Ready settlement() {
      return pending.settlement();
    }

    @Override
    public Map<String, Fate.Dead> deadLetters() {
      return pending.deadLetters();
    }
  }

  /** A message that may kill the process will be delivered, which is to be stored before. */
  record OfSuspect(LaneEntry entry, Fate fate) implements PendingSettlement {
    @Override
    public HeldPartition partition() {
      return entry.partition();
    }

    @Override
    public StoredMessage message() {
      return entry.message();
    }

    public Settlement.Deferred settlement() {
      return of(entry, fate);
    }
  }

  /** A row of the deferred table. */
  final class OfDeferred implements PendingSettlement {
    private final HeldPartition partition;
    private final StoredMessage message;
    private final String rowHandler;
    private final @Nullable Lane lane; // null if the row was not meant for one handler
    private final Window.Claim claim;
    private final Fate fate;

    OfDeferred(
        HeldPartition partition,
        StoredMessage message,
        String rowHandler,
        @Nullable Lane lane,
        Window.Claim claim,
        Fate fate) {
      this.partition = partition;
      this.message = message;
      this.rowHandler = rowHandler;
      this.lane = lane;
      this.claim = claim;
      this.fate = fate;
    }

    OfDeferred(LaneEntry entry, Fate fate) {
      this(
          entry.partition(),
          entry.message(),
          entry.rowHandler(),
          entry.lane(),
          entry.claim(),
          fate);
    }

    @Override
    public HeldPartition partition() {
      return partition;
    }

    @Override
    public StoredMessage message() {
      return message;
    }

    String rowHandler() {
      return rowHandler;
    }

    @Nullable Lane lane() {
      return lane;
    }

    Window.Claim claim() {
      return claim;
    }

    public Settlement.Deferred settlement() {
      return PendingSettlement.of(message, rowHandler, fate);
    }

    @Override
    public Map<String, Fate.Dead> deadLetters() {
      return fate instanceof Fate.Dead dead ? Map.of(rowHandler, dead) : Map.of();
    }
  }
}
