/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.spi.Fate;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What is to be stored about one row, with what is to be done in memory afterwards. */
public abstract sealed class PendingSettlement permits PendingMessage, PendingRow {
  private final HeldPartition partition;
  private final StoredMessage message;
  private final Window.Claim claim;

  PendingSettlement(HeldPartition partition, StoredMessage message, Window.Claim claim) {
    this.partition = partition;
    this.message = message;
    this.claim = claim;
  }

  /** Its dead letters, by handler. */
  public abstract Map<String, Fate.Dead> deadLetters();

  /** Whether it writes rows of handlers, whose own outcomes can be stored only after it. */
  public abstract boolean isSplit();

  public final StoredMessage message() {
    return message;
  }

  /** The life of the relay in which its partition was taken. */
  public final RelayIdentity owner() {
    return partition.owner();
  }

  final HeldPartition partition() {
    return partition;
  }

  final Window.Claim claim() {
    return claim;
  }

  /** Names the message; for logs. */
  public final String describe() {
    return "\"%s\" (partition %d, seq %d)"
        .formatted(message.envelope().id(), message.partition(), message.seq());
  }

  /** What stores them together. */
  public static Settlement together(List<PendingSettlement> outcomes) {
    List<Settlement.Ready> ready = new ArrayList<>(outcomes.size());
    List<Settlement.Deferred> deferred = new ArrayList<>();
    for (PendingSettlement outcome : outcomes) {
      if (outcome instanceof PendingMessage whole) {
        ready.add(whole.settlement());
      } else if (outcome instanceof PendingRow row) {
        deferred.add(row.settlement());
      }
    }
    return new Settlement(ready, deferred);
  }
}
