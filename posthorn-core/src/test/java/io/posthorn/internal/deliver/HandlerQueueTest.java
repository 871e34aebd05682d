/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.HandlerSpec;
import io.posthorn.spi.LaneId;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HandlerQueueTest {
  private static final int CONCURRENCY = 8;
  private static final long FAST = TimeUnit.MICROSECONDS.toNanos(5);
  private static final long SLOW = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long STALLED = HandlerQueue.STALLED.toNanos();

  private HandlerQueue queue =
      queue(HandlerSpec.of("shipping", "order", String.class, (payload, delivery) -> {}));

  private static HandlerQueue queue(HandlerSpec<?> spec) {
    return new HandlerQueue(spec, CONCURRENCY, new Circuit(1), null);
  }

  @Test
  void handlerOfUnknownSpeedGetsAWorkerForEachLane() {
    ready(5);
    assertThat(queue.missingWorkers(0)).isEqualTo(5);
    ready(20);
    assertThat(queue.missingWorkers(0)).isEqualTo(CONCURRENCY);
  }

  @Test
  void fastHandlerGetsOneWorkerForManyLanesAndIsWatched() {
    queue.took(FAST, 1);
    ready(30);
    assertThat(queue.missingWorkers(0)).isEqualTo(1);
    queue.workers = 1;
    assertThat(queue.holdsWorkersBack(1, 0)).isTrue();
  }

  @Test
  void slowHandlerGetsAllItsWorkers() {
    queue.took(SLOW, 1);
    ready(30);
    assertThat(queue.missingWorkers(0)).isEqualTo(CONCURRENCY);
  }

  @Test
  void oneSlowDeliveryDoesNotMakeAFastHandlerSlow() {
    queue.took(FAST, 1);
    queue.took(SLOW, 1);
    ready(30);
    assertThat(queue.missingWorkers(0)).isEqualTo(1);
  }

  @Test
  void workersThatTakeNothingNewAreDoubled() {
    queue.took(FAST, 1);
    ready(30);
    queue.workers = 1;
    queue.taken(0);
    assertThat(queue.missingWorkers(STALLED - 1)).isZero();
    assertThat(queue.missingWorkers(STALLED)).isEqualTo(1);
    queue.workers = 2;
    assertThat(queue.missingWorkers(STALLED)).isEqualTo(2);
    queue.workers = 6;
    assertThat(queue.missingWorkers(STALLED)).isEqualTo(2);
  }

  /** The worker may block, and nobody else would look after the lane. */
  @Test
  void singleLaneThatWaitsForTheOnlyWorkerIsWatched() {
    queue.took(FAST, 1);
    ready(1);
    queue.workers = 1;
    queue.taken(0);
    assertThat(queue.missingWorkers(1)).isZero();
    assertThat(queue.holdsWorkersBack(0, 1)).isTrue();
  }

  @Test
  void lanesThatAllHaveAWorkerComingAreNotWatched() {
    ready(2);
    queue.workers = 2;
    assertThat(queue.holdsWorkersBack(2, 0)).isFalse();
  }

  @Test
  void batchHandlerGetsAsManyWorkersAsThereAreBatches() {
    HandlerSpec<String> batches =
        HandlerSpec.batch("shipping", "order", String.class, 10, batch -> {});
    queue = queue(batches.batchPerKey(2));
    ready(5);
    assertThat(queue.missingWorkers(0)).isEqualTo(1);
    ready(1);
    assertThat(queue.missingWorkers(0)).isEqualTo(2);
  }

  @Test
  void batchHandlerGetsAWorkerForEachLaneIfOneMayFillABatch() {
    queue = queue(HandlerSpec.batch("shipping", "order", String.class, 10, batch -> {}));
    ready(5);
    assertThat(queue.missingWorkers(0)).isEqualTo(5);
  }

  private void ready(int lanes) {
    for (int i = 0; i < lanes; i++) {
      queue.ready.add(new Lane(queue, new LaneId(0, "shipping", "key-" + i), true));
      queue.inMemory++;
    }
  }
}
