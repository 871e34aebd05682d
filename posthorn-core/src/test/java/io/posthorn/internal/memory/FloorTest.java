/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.LaneId;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Where reads of a partition begin, and what is stored of it. */
class FloorTest {
  private static final RelayIdentity ME = new RelayIdentity("a", 1);

  private final HeldPartition partition = held(100);

  private static HeldPartition held(long floor) {
    HeldPartition partition = new HeldPartition(ME, new PartitionOwner(0, ME, 1, 0, floor), 0);
    partition.loaded();
    return partition;
  }

  @Test
  void aNewOwnerBeginsAtTheStoredFloor() {
    assertThat(partition.floor()).isEqualTo(100);
    assertThat(partition.hasMore()).isTrue();
    assertThat(partition.hasFloorToStore(1)).isFalse();
  }

  @Test
  void aPartThatWasReadMovesTheFloorNoFurtherThanItsLastRow() {
    partition.readPart(150, 900);
    assertThat(partition.floor()).isEqualTo(150);
    partition.readPart(0, 900);
    assertThat(partition.floor()).as("nothing was read").isEqualTo(150);
    partition.readAll(900);
    assertThat(partition.floor()).isEqualTo(900);
  }

  @Test
  void whatIsInMemoryHoldsTheStoredFloorBack() {
    partition.enter(150);
    partition.enter(160);
    partition.readAll(900);
    assertThat(partition.floorToStore()).isEqualTo(149);
    partition.leave(150);
    assertThat(partition.floorToStore()).as("a read may still return it").isEqualTo(149);
    partition.readBegins();
    assertThat(partition.floorToStore()).isEqualTo(159);
    partition.leave(160);
    partition.readBegins();
    assertThat(partition.floorToStore()).isEqualTo(900);
  }

  @Test
  void aDeferredRowMayGoOnceTheReaderHasPassedIt() {
    assertThat(partition.mayDeliverDeferred(120)).isFalse();
    assertThat(partition.pollDeferredAhead()).as("it is to be looked at again").isTrue();
    partition.readPart(150, 0);
    assertThat(partition.mayDeliverDeferred(120)).isTrue();
    assertThat(partition.mayDeliverDeferred(170)).isFalse();
    partition.readAll(0);
    assertThat(partition.mayDeliverDeferred(170)).isTrue();
  }

  @Test
  void afterADoubtWhatWasInMemoryIsReadOnceMore() {
    partition.enter(150);
    partition.readAll(900);
    partition.resetFloor(100);
    assertThat(partition.floor()).isEqualTo(100);
    assertThat(partition.hasFloorToStore(1)).isTrue();
    partition.readBegins();
    partition.readAll(900);
    partition.leave(150);
    assertThat(partition.floor()).as("its seq may have been drawn again").isEqualTo(149);
    assertThat(partition.hasMore()).isTrue();
  }

  @Test
  void aReadThatBeganBeforeTheFloorWasLoweredDoesNotRaiseItAgain() {
    partition.readBegins();
    partition.lowerFloor(50);
    partition.readAll(900);
    assertThat(partition.floor()).isEqualTo(49);
    assertThat(partition.hasMore()).isTrue();
    partition.readBegins();
    partition.readAll(900);
    assertThat(partition.floor()).isEqualTo(900);
    assertThat(partition.hasMore()).isFalse();
  }

  @Test
  void aRowThatIsFoundBelowTheFloorIsReadFromThere() {
    partition.readAll(900);
    partition.lowerFloor(50);
    assertThat(partition.floor()).isEqualTo(49);
    assertThat(partition.hasMore()).isTrue();
  }

  @Test
  void aFloorIsStoredOnceItHasRisenFarEnough() {
    partition.readAll(1_099);
    assertThat(partition.hasFloorToStore(1_000)).isFalse();
    partition.readAll(1_100);
    assertThat(partition.hasFloorToStore(1_000)).isTrue();
    partition.floorStored(1_100);
    partition.readAll(2_099);
    assertThat(partition.hasFloorToStore(1_000)).isFalse();
  }

  @Test
  void howFarAFloorHasRisenDoesNotMatterOnceItWasLoweredOrIsInDoubt() {
    partition.readAll(900);
    partition.floorStored(900);
    partition.lowerFloor(899);
    assertThat(partition.hasFloorToStore(1_000)).isTrue();
    partition.floorStored(partition.floorToStore());
    partition.resetFloor(898);
    assertThat(partition.hasFloorToStore(1_000)).isTrue();
  }

  @Test
  void aFloorThatWasLoweredIsStored() {
    partition.readAll(900);
    partition.floorStored(partition.floorToStore());
    partition.lowerFloor(50);
    assertThat(partition.hasFloorToStore(1)).as("else it is lost with a crash").isTrue();
    partition.floorStored(partition.floorToStore());
    assertThat(partition.hasFloorToStore(1)).isFalse();
  }

  @Test
  void afterADoubtDeferredRowsWaitUntilWhatIsBeforeThemIsRead() {
    partition.readPart(150, 150);
    assertThat(partition.mayDeliverDeferred(140)).isTrue();
    partition.resetFloor(100);
    assertThat(partition.mayDeliverDeferred(140))
        .as("120 may have been drawn again, for the same key")
        .isFalse();
    assertThat(partition.mayDeliverDeferred(100)).isTrue();
    partition.readBegins();
    partition.readPart(145, 145);
    assertThat(partition.mayDeliverDeferred(140)).isTrue();
  }

  @Test
  void deferredRowsWaitUntilARowThatWasFoundBelowTheFloorIsRead() {
    partition.readPart(150, 150);
    partition.lowerFloor(120);
    assertThat(partition.mayDeliverDeferred(140)).isFalse();
    assertThat(partition.mayDeliverDeferred(119)).isTrue();
    partition.readBegins();
    partition.readAll(150);
    assertThat(partition.mayDeliverDeferred(140)).isTrue();
  }

  @Test
  void aRowThatLeftAndWasReadAgainIsKnown() {
    partition.enter(150);
    partition.leave(150);
    partition.readBegins();
    assertThat(partition.enter(150)).isTrue();
    partition.readBegins();
    assertThat(partition.enter(150)).as("it is in memory").isFalse();
  }

  @Test
  void aLaneThatCameToRestIsToldToOneRead() {
    HandlerLanes mailer =
        new HandlerLanes(MemoryScene.handler("mailer"), 1, Duration.ofSeconds(1), 0);
    Lane lane = new Lane(mailer, new LaneId(0, "mailer", "k"), true);
    partition.laneLeaves(lane);
    assertThat(partition.readBegins()).containsExactly(lane);
    assertThat(partition.readBegins()).isEmpty();
  }

  @Test
  void whereNoDeferredRowWaitsNothingIsToBeLookedAt() {
    assertThat(partition.pollDeferredAhead()).isFalse();
    partition.mayDeliverDeferred(120);
    assertThat(partition.pollDeferredAhead()).isTrue();
    assertThat(partition.pollDeferredAhead()).as("told once").isFalse();
  }
}
