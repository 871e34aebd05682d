/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal;

import io.posthorn.internal.run.Listeners;
import io.posthorn.spi.Duty;
import io.posthorn.spi.Duty.StepResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.IntUnaryOperator;

/** Deletes rows by age, in batches. Dead letters are never among them. */
final class Purger implements Duty {
  private static final int BATCH = 1_000;
  private static final double JITTER = 0.2;

  /**
   * Resolved dead letters go to the history of every fleet: the process of the operator does not
   * know whether relays keep one.
   */
  static final Duration RESOLVED_RETENTION = Duration.ofDays(7);

  /**
   * One kind of rows.
   *
   * @param what as listeners are told
   * @param batch deletes up to as many rows as it is given, and returns how many
   */
  record Purge(String what, IntUnaryOperator batch) {}

  /** Idempotency keys that have been kept for long enough. */
  static Purge idempotencyKeys(OutboxProcess.Parts parts) {
    Duration retention = parts.publish().idempotencyRetention();
    return new Purge("idempotency keys", limit -> parts.store().purgeIdempotency(retention, limit));
  }

  /** What one relay of the fleet deletes by age. */
  static List<Purge> ofFleet(OutboxProcess.Parts parts) {
    Duration retention = parts.relay().retention();
    Duration kept = retention.isZero() ? RESOLVED_RETENTION : retention;
    return List.of(
        idempotencyKeys(parts),
        new Purge("history", limit -> parts.store().purgeHistory(kept, limit)));
  }

  private final List<Purge> purges;
  private final BooleanSupplier mine;
  private final Duration interval;
  private final Listeners listeners;

  /**
   * @param mine whether it is for this process to purge now
   * @param interval between two passes, about: processes that started together drift apart
   */
  Purger(List<Purge> purges, BooleanSupplier mine, Duration interval, Listeners listeners) {
    this.purges = List.copyOf(purges);
    this.mine = mine;
    this.interval = interval;
    this.listeners = listeners;
  }

  @Override
  public String name() {
    return "purge";
  }

  @Override
  public StepResult runOnce() {
    int purged = 0;
    boolean more = false;
    for (Purge purge : purges) {
      int rows = mine.getAsBoolean() ? purge.batch.applyAsInt(BATCH) : 0;
      if (rows > 0) {
        listeners.tell(listener -> listener.purged(purge.what, rows));
      }
      purged += rows;
      more |= rows == BATCH;
    }
    return more ? StepResult.again(purged) : new StepResult(purged, pause());
  }

  private Duration pause() {
    double factor = 1 + JITTER * (2 * ThreadLocalRandom.current().nextDouble() - 1);
    return Duration.ofNanos((long) (interval.toNanos() * factor));
  }
}
