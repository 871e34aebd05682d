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

  @Test
  void aPausedHandlerDeliversNothing() {
    ready(3);
    lanes.pause(true);
    assertThat(lanes.mayDeliver(0)).isZero();
    assertThat(lanes.isClosed()).isTrue();
    assertThat(lanes.missingWorkers(0)).isZero();
    lanes.pause(false);
    assertThat(lanes.mayDeliver(0)).isEqualTo(Integer.MAX_VALUE);
    assertThat(lanes.isClosed()).isFalse();
  }

  @Test
  void aHandlerWhoseWorkersAllHangDeliversNothing() {
    ready(1);
    lanes.workersStarted(CONCURRENCY);
    for (int i = 0; i < CONCURRENCY; i++) {
      assertThat(lanes.isStuck()).isFalse();
      lanes.workerLost(0);
    }
    assertThat(lanes.isStuck()).isTrue();
    assertThat(lanes.isClosed()).isTrue();
    assertThat(lanes.mayDeliver(0)).isZero();
    lanes.workerBack();
    assertThat(lanes.isStuck()).isFalse();
    assertThat(lanes.missingWorkers(0)).isEqualTo(1);
  }

  @Test
  void aHandlerWhoseDestinationIsDownIsClosed() {
    lanes.circuit().open(0);
    assertThat(lanes.isClosed()).isTrue();
    assertThat(lanes.mayDeliver(0)).isZero();
    assertThat(lanes.mayDeliver(1)).as("the probe interval has passed").isEqualTo(1);
  }

  @Test
  void aWorkerThatHangsWithAProbeLetsTheNextOneGo() {
    lanes.circuit().open(0);
    lanes.circuit().probeBegins();
    assertThat(lanes.mayDeliver(10)).isZero();
    lanes.workerLost(10);
    assertThat(lanes.mayDeliver(11)).isEqualTo(1);
  }

  @Test
  void aHandlerThatSaysSoHasFewerWorkers() {
    lanes =
        lanes(
            HandlerSpec.of("shipping", "order", String.class, (payload, delivery) -> {})
                .concurrency(3));
    ready(20);
    assertThat(lanes.missingWorkers(0)).isEqualTo(3);
    lanes.workersStarted(3);
    assertThat(lanes.holdsWorkersBack(0, 0)).as("there cannot be more").isFalse();
  }

  @Test
  void lanesAreTakenInTheOrderInWhichTheyWereOffered() {
    ready(3);
    assertThat(lanes.offeredCount()).isEqualTo(3);
    assertThat(lanes.nextOffered().id().key()).isEqualTo("key-0");
    assertThat(lanes.nextOffered().id().key()).isEqualTo("key-1");
    assertThat(lanes.offeredCount()).isEqualTo(1);
  }

  @Test
  void whatHasBeenSentDoesNotCountAsWaiting() {
    ready(3);
    lanes.underWay(2);
    assertThat(lanes.inMemory()).isEqualTo(3);
    assertThat(lanes.unsent()).isEqualTo(1);
    assertThat(lanes.lacksProbes()).isFalse();
    lanes.left();
    assertThat(lanes.lacksProbes()).as("all of it is under way").isTrue();
    lanes.forgetEntries();
    assertThat(lanes.inMemory()).isZero();
    assertThat(lanes.unsent()).as("answers may come later").isZero();
  }

  @Test
  void whatHangsIsNothingToProbeWith() {
    ready(2);
    lanes.workersStarted(2);
    lanes.workerLost(0);
    assertThat(lanes.lacksProbes()).isFalse();
    lanes.workerLost(0);
    assertThat(lanes.lacksProbes()).isTrue();
  }

  @Test
  void aHandlerIsIdleIfItHasNothingOrTookNothingForAWhile() {
    assertThat(lanes.isIdle(0, 100)).isTrue();
    ready(1);
    assertThat(lanes.isIdle(1_000, 100)).as("a lane waits for it").isFalse();
    lanes.nextOffered();
    lanes.taken(1_000, 1);
    assertThat(lanes.isIdle(1_099, 100)).isFalse();
    assertThat(lanes.isIdle(1_100, 100)).isTrue();
  }

  @Test
  void thatDeferredRowsWaitForRoomIsToldOnce() {
    assertThat(lanes.pollDueRowsWait()).isFalse();
    lanes.dueRowsWait();
    assertThat(lanes.pollDueRowsWait()).isTrue();
    assertThat(lanes.pollDueRowsWait()).isFalse();
  }

  @Test
  void theNextDeliveryIsDueWhenAProbeMayGo() {
    assertThat(lanes.nanosUntilDelivery(0, 9)).as("nothing waits").isEqualTo(9);
    ready(1);
    assertThat(lanes.nanosUntilDelivery(0, 9)).as("nothing has to wait").isEqualTo(9);
    lanes.circuit().open(0);
    assertThat(lanes.nanosUntilDelivery(0, 9)).isEqualTo(1);
    lanes.pause(true);
    assertThat(lanes.nanosUntilDelivery(0, 9)).isEqualTo(9);
    lanes.pause(false);
    lanes.workersStarted(CONCURRENCY);
    assertThat(lanes.nanosUntilDelivery(0, 9)).as("a worker will look").isEqualTo(9);
  }

  @Test
  void theNextDeliveryIsDueWhenTheRateAllowsIt() {
    lanes =
        lanes(
            HandlerSpec.of("shipping", "order", String.class, (payload, delivery) -> {})
                .rateLimit(1, Duration.ofNanos(50)));
    ready(2);
    assertThat(lanes.nanosUntilDelivery(0, 99)).isZero();
    lanes.taken(0, 1);
    assertThat(lanes.mayDeliver(0)).isZero();
    assertThat(lanes.nanosUntilDelivery(0, 99)).isEqualTo(50);
    assertThat(lanes.nanosUntilDelivery(0, 20)).isEqualTo(20);
    assertThat(lanes.missingWorkers(0)).isZero();
    lanes.ended(0, 0, 1);
    assertThat(lanes.mayDeliver(0)).as("it was not begun").isEqualTo(1);
  }

  @Test
  void aHandlerThatIsAlwaysSlowIsKnownAsSlowInTheEnd() {
    lanes.ended(FAST, 1, 0);
    for (int i = 0; i < 100; i++) {
      lanes.ended(SLOW, 1, 0);
    }
    ready(30);
    assertThat(lanes.missingWorkers(0)).isEqualTo(CONCURRENCY);
    lanes.ended(FAST, 1, 0);
    assertThat(lanes.missingWorkers(0)).as("it falls at once").isEqualTo(1);
  }

  @Test
  void theTimeOfABatchIsSharedByItsDeliveries() {
    lanes.ended(FAST * 1_000, 1_000, 0);
    ready(30);
    assertThat(lanes.missingWorkers(0)).isEqualTo(1);
  }

  @Test
  void workersAreAddedAsThereIsMoreToDo() {
    lanes.ended(TimeUnit.MICROSECONDS.toNanos(100), 1, 0);
    ready(5);
    assertThat(lanes.missingWorkers(0)).as("half a millisecond of work for each").isEqualTo(2);
    ready(5);
    assertThat(lanes.missingWorkers(0)).isEqualTo(3);
  }

  private void ready(int count) {
    for (int i = 0; i < count; i++) {
      lanes.offer(new Lane(lanes, new LaneId(0, "shipping", "key-" + i), true));
      lanes.entered();
    }
  }

  @Test
  void lanesThatWaitForAProbeAreNotWatched() {
    ready(2);
    lanes.circuit().open(0);
    lanes.workersStarted(1);
    assertThat(lanes.holdsWorkersBack(1, 1)).isFalse();
  }

  @Test
  void workersThatTookSomethingJustNowAreNotDoubled() {
    long base = Duration.ofDays(3).toNanos();
    lanes.ended(FAST, 1, 0);
    ready(30);
    lanes.workersStarted(1);
    lanes.taken(base, 1);
    assertThat(lanes.missingWorkers(base + STALLED - 1)).isZero();
    assertThat(lanes.missingWorkers(base + STALLED)).isEqualTo(1);
  }

  @Test
  void aTimeThatCouldNotBeMeasuredSaysNothing() {
    lanes.ended(0, 1, 0);
    lanes.ended(FAST, 0, 1); // none of them was begun
    ready(30);
    assertThat(lanes.missingWorkers(0)).isEqualTo(CONCURRENCY);
  }

  @Test
  void oneSlowDeliveryDoesNotMakeAVeryFastHandlerUnknown() {
    lanes.ended(1, 1, 0);
    lanes.ended(SLOW, 1, 0);
    ready(30);
    assertThat(lanes.missingWorkers(0)).isEqualTo(1);
  }
}
