/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.spi.Fate;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is to be stored about one row, with what is to be done in memory afterwards. */
public sealed interface Outcome {
  Holding holding();

  StoredMessage message();

  /** Its dead letters, by handler. */
  default Map<String, Fate.Dead> deadLetters() {
    return Map.of();
  }

  /** Names the message; for logs. */
  default String describe() {
    return "\"%s\" (partition %d, seq %d)"
        .formatted(message().envelope().id(), message().partition(), message().seq());
  }

  /** A row that leaves the ready table. */
  record OfReady(PendingMessage pending) implements Outcome {
    @Override
    public Holding holding() {
      return pending.holding;
    }

    @Override
    public StoredMessage message() {
      return pending.message;
    }

    public Settlement.Ready settlement() {
      return pending.outcome();
    }

    @Override
    public Map<String, Fate.Dead> deadLetters() {
      return pending.deadLetters();
    }
  }

  /** A message that may kill the process will be delivered, which is to be stored before. */
  record OfSuspect(Task task, Fate fate) implements Outcome {
    @Override
    public Holding holding() {
      return task.holding;
    }

    @Override
    public StoredMessage message() {
      return task.message;
    }

    public Settlement.Deferred settlement() {
      return new Settlement.Deferred(
          task.message.partition(), task.message.seq(), task.rowHandler, fate);
    }
  }

  /**
   * A row of the deferred table.
   *
   * @param lane null if the row was not meant for one handler
   */
  record OfDeferred(
      Holding holding, StoredMessage message, String rowHandler, @Nullable Lane lane, Fate fate)
      implements Outcome {
    public Settlement.Deferred settlement() {
      return new Settlement.Deferred(message.partition(), message.seq(), rowHandler, fate);
    }

    @Override
    public Map<String, Fate.Dead> deadLetters() {
      return fate instanceof Fate.Dead dead ? Map.of(rowHandler, dead) : Map.of();
    }
  }
}
