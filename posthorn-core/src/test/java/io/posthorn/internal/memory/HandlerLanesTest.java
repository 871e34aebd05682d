/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.HandlerSpec;
import io.posthorn.spi.LaneId;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HandlerLanesTest {
  private static final int CONCURRENCY = 8;
  private static final long FAST = TimeUnit.MICROSECONDS.toNanos(5);
  private static final long SLOW = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long STALLED = HandlerLanes.STALLED.toNanos();

  private HandlerLanes lanes =
      lanes(HandlerSpec.of("shipping", "order", String.class, (payload, delivery) -> {}));

  private static HandlerLanes lanes(HandlerSpec<?> spec) {
    return new HandlerLanes(spec, CONCURRENCY, Duration.ofNanos(1), 0);
  }

  @Test
  void handlerOfUnknownSpeedGetsAWorkerForEachLane() {
    ready(5);
    assertThat(lanes.missingWorkers(0)).isEqualTo(5);
    ready(20);
    assertThat(lanes.missingWorkers(0)).isEqualTo(CONCURRENCY);
  }

  @Test
  void fastHandlerGetsOneWorkerForManyLanesAndIsWatched() {
    lanes.ended(FAST, 1, 0);
    ready(30);
    assertThat(lanes.missingWorkers(0)).isEqualTo(1);
    lanes.workersStarted(1);
    assertThat(lanes.holdsWorkersBack(1, 0)).isTrue();
  }

  @Test
  void slowHandlerGetsAllItsWorkers() {
    lanes.ended(SLOW, 1, 0);
    ready(30);
    assertThat(lanes.missingWorkers(0)).isEqualTo(CONCURRENCY);
  }

  @Test
  void oneSlowDeliveryDoesNotMakeAFastHandlerSlow() {
    lanes.ended(FAST, 1, 0);
    lanes.ended(SLOW, 1, 0);
    ready(30);
    assertThat(lanes.missingWorkers(0)).isEqualTo(1);
  }

  @Test
  void workersThatTakeNothingNewAreDoubled() {
    lanes.ended(FAST, 1, 0);
    ready(30);
    lanes.workersStarted(1);
    lanes.taken(0, 1);
    assertThat(lanes.missingWorkers(STALLED - 1)).isZero();
    assertThat(lanes.missingWorkers(STALLED)).isEqualTo(1);
    lanes.workersStarted(1);
    assertThat(lanes.missingWorkers(STALLED)).isEqualTo(2);
    lanes.workersStarted(4);
    assertThat(lanes.missingWorkers(STALLED)).isEqualTo(2);
  }

  /** The worker may block, and nobody else would look after the lane. */
  @Test
  void singleLaneThatWaitsForTheOnlyWorkerIsWatched() {
    lanes.ended(FAST, 1, 0);
    ready(1);
    lanes.workersStarted(1);
    lanes.taken(0, 1);
    assertThat(lanes.missingWorkers(1)).isZero();
    assertThat(lanes.holdsWorkersBack(0, 1)).isTrue();
  }

  @Test
  void lanesThatAllHaveAWorkerComingAreNotWatched() {
    ready(2);
    lanes.workersStarted(2);
    assertThat(lanes.holdsWorkersBack(2, 0)).isFalse();
  }

  @Test
  void batchHandlerGetsAsManyWorkersAsThereAreBatches() {
    HandlerSpec<String> batches =
        HandlerSpec.batch("shipping", "order", String.class, 10, batch -> {});
    lanes = lanes(batches.batchPerKey(2));
    ready(5);
    assertThat(lanes.missingWorkers(0)).isEqualTo(1);
    ready(1);
    assertThat(lanes.missingWorkers(0)).isEqualTo(2);
  }

  @Test
  void batchHandlerGetsAWorkerForEachLaneIfOneMayFillABatch() {
    lanes = lanes(HandlerSpec.batch("shipping", "order", String.class, 10, batch -> {}));
    ready(5);
    assertThat(lanes.missingWorkers(0)).isEqualTo(5);
  }

  private void ready(int count) {
    for (int i = 0; i < count; i++) {
      lanes.offer(new Lane(lanes, new LaneId(0, "shipping", "key-" + i), true));
      lanes.entered();
    }
  }
}
