/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static io.posthorn.internal.memory.MemoryScene.RETRY;
import static io.posthorn.internal.memory.MemoryScene.batchHandler;
import static io.posthorn.internal.memory.MemoryScene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Fate;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What came of the entries of a batch, and what that means for later ones of their lanes. */
class WorkBatchTest {
  private static final Fate PASSED =
      new Fate.Deferred(DeferReason.RETRYING, 1, Duration.ZERO, null, true);

  private final MemoryScene scene = new MemoryScene(batchHandler("broker", 10)).hold(0);

  /** Entries 0, 1 and 2 are of lane a, 3 and 4 of lane b, 5 has no key. */
  private WorkBatch batch() {
    scene.read(message(1, "a"), message(2, "a"), message(3, "a"));
    scene.read(message(4, "b"), message(5, "b"), message(6, null));
    return scene.take("broker");
  }

  @Test
  void aNewBatchHasNoOutcomes() {
    WorkBatch batch = batch();
    assertThat(batch.size()).isEqualTo(6);
    assertThat(batch.ended()).isZero();
    assertThat(batch.goingOn()).isZero();
    assertThat(batch.isProbe()).isFalse();
    assertThat(batch.gotThrough()).as("nothing was tried").isFalse();
    for (int i = 0; i < 6; i++) {
      assertThat(batch.fate(i)).isNull();
      assertThat(batch.isStopped(i)).isFalse();
      assertThat(batch.isStored(i)).isFalse();
      assertThat(batch.isRowGone(i)).isFalse();
      assertThat(batch.isGoingOn(i)).isFalse();
    }
  }

  @Test
  void anEntryThatFailedStopsItselfAndLaterOnesOfItsLane() {
    WorkBatch batch = batch();
    batch.ended(1, RETRY);
    assertThat(batch.isStopped(0)).as("it stands before it").isFalse();
    assertThat(batch.isStopped(1)).isTrue();
    assertThat(batch.isStopped(2)).isTrue();
    assertThat(batch.isStopped(3)).as("another lane").isFalse();
    assertThat(batch.hasFailed(batch.entry(0).lane())).isTrue();
    assertThat(batch.hasFailed(batch.entry(3).lane())).isFalse();
  }

  @Test
  void theFirstEntryThatFailedCounts() {
    WorkBatch batch = batch();
    batch.ended(2, RETRY);
    batch.ended(1, RETRY);
    assertThat(batch.isStopped(1)).isTrue();
    assertThat(batch.isStopped(0)).isFalse();
  }

  @Test
  void anEntryThatMayBePassedStopsNobody() {
    WorkBatch batch = batch();
    batch.ended(0, PASSED);
    assertThat(batch.isStopped(1)).isFalse();
    assertThat(batch.hasFailed(batch.entry(0).lane())).isFalse();
  }

  @Test
  void anEntryWithoutAKeyThatFailedHoldsNoLane() {
    WorkBatch batch = batch();
    batch.ended(5, RETRY);
    assertThat(batch.isStopped(5)).isFalse();
    assertThat(batch.hasFailed(batch.entry(5).lane())).isFalse();
  }

  @Test
  void aDeadLetterStopsItsLaneOnlyIfItBlocksIt() {
    WorkBatch batch = batch();
    batch.ended(0, new Fate.Dead(3, "broken"));
    batch.ended(3, new Fate.Dead(3, "broken", true));
    assertThat(batch.isStopped(1)).isFalse();
    assertThat(batch.isStopped(4)).isTrue();
  }

  @Test
  void anEntryThatWasNotBegunStopsLaterOnesOfItsLaneAlsoWithoutAKey() {
    WorkBatch batch = batch();
    batch.notBegun(1);
    batch.notBegun(5);
    assertThat(batch.isStopped(0)).isFalse();
    assertThat(batch.isStopped(1)).isTrue();
    assertThat(batch.isStopped(2)).isTrue();
    assertThat(batch.isStopped(3)).isFalse();
    assertThat(batch.isStopped(5)).isTrue();
    assertThat(batch.hasFailed(batch.entry(1).lane())).isFalse();
  }

  @Test
  void aDestinationWasReachedIfSomethingWasTriedAndNothingStopped() {
    WorkBatch batch = batch();
    batch.endedUntried(0, Fate.DELIVERED);
    assertThat(batch.gotThrough()).as("it had expired").isFalse();
    batch.ended(1, Fate.DELIVERED);
    assertThat(batch.gotThrough()).isTrue();
    batch.notBegun(2);
    assertThat(batch.gotThrough()).as("it was found down").isFalse();
  }

  @Test
  void anEntryThatEndedUntriedHasItsFate() {
    WorkBatch batch = batch();
    batch.endedUntried(0, RETRY);
    assertThat(batch.fate(0)).isEqualTo(RETRY);
    assertThat(batch.isStopped(1)).isTrue();
    assertThat(batch.ended()).isOne();
  }

  @Test
  void anEntryThatWasStoredIsDelivered() {
    WorkBatch batch = batch();
    batch.endedAndStored(1);
    assertThat(batch.fate(1)).isEqualTo(Fate.DELIVERED);
    assertThat(batch.isStored(1)).isTrue();
    assertThat(batch.isStored(0)).isFalse();
    assertThat(batch.isStopped(2)).isFalse();
  }

  @Test
  void anEntryWhoseRowIsGoneStopsWhatStandsBehindIt() {
    WorkBatch batch = batch();
    batch.endedAsGone(1);
    assertThat(batch.isStored(1)).isTrue();
    assertThat(batch.isRowGone(1)).isTrue();
    assertThat(batch.isRowGone(0)).isFalse();
    assertThat(batch.isStopped(2)).isTrue();
    assertThat(batch.isStopped(0)).isFalse();
  }

  @Test
  void entriesThatGoOnAreCounted() {
    WorkBatch batch = batch();
    batch.goesOn(5);
    batch.goesOn(3);
    assertThat(batch.goingOn()).isEqualTo(2);
    assertThat(batch.isGoingOn(5)).isTrue();
    assertThat(batch.isGoingOn(4)).isFalse();
  }

  @Test
  void aLaneEndsWithItsFirstEntryUnlessThatGoesOn() {
    WorkBatch batch = batch();
    batch.goesOn(5);
    assertThat(batch.endsLane(0)).isTrue();
    assertThat(batch.endsLane(1)).isFalse();
    assertThat(batch.endsLane(2)).isFalse();
    assertThat(batch.endsLane(3)).isTrue();
    assertThat(batch.endsLane(5)).isFalse();
  }
}
