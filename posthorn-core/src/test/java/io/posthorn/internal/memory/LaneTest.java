/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.HandlerSpec;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.ReadResult;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LaneTest {
  private static final long NONE = ReadResult.NO_HEAD;

  private final Lane lane =
      new Lane(
          new HandlerLanes(
              HandlerSpec.of("mailer", "order", String.class, (payload, delivery) -> {}),
              1,
              Duration.ofSeconds(1),
              0),
          new LaneId(0, "mailer", "k"),
          true);

  @Test
  void aLaneThatIsNewIsClosedBehindWhatTheReadHasSeenInTheTable() {
    assertThat(lane.isClosedFor(5, 7)).as("it stands before the deferred one").isFalse();
    assertThat(lane.isClosedFor(9, NONE)).as("it stands behind it").isTrue();
  }

  @Test
  void aLaneThatIsKnownDoesNotHeedALaterRead() {
    assertThat(lane.isClosedFor(5, NONE)).isFalse();
    assertThat(lane.isClosedFor(9, 5)).as("5 is in memory, or has just left it").isFalse();
  }

  @Test
  void whatIsGivenBackClosesTheLaneBehindIt() {
    lane.closeBehind(5);
    assertThat(lane.isClosedFor(4, NONE)).isFalse();
    assertThat(lane.isClosedFor(5, NONE)).as("the row itself").isFalse();
    assertThat(lane.isClosedFor(6, NONE)).isTrue();
    lane.surveyed(NONE);
    assertThat(lane.isClosedFor(6, NONE)).as("all its rows are in memory").isFalse();
  }

  @Test
  void aReadOfTheTableMissesWhatWasOnItsWay() {
    lane.rowMoves(32);
    assertThat(lane.firstMissedBy(1)).isEqualTo(32);
    lane.rowArrived(32, 2, true);
    assertThat(lane.firstMissedBy(1)).as("it arrived after the read began").isEqualTo(32);
    assertThat(lane.firstMissedBy(3)).as("it was there before").isEqualTo(NONE);
  }

  @Test
  void aLaneWithRowsOnTheirWayIsNotIdle() {
    lane.rowMoves(1);
    assertThat(lane.isIdle()).isFalse();
    lane.rowArrived(1, 1, false);
    assertThat(lane.isIdle()).isTrue();
    lane.rowInMemory();
    assertThat(lane.isIdle()).isFalse();
    lane.rowLeft();
    assertThat(lane.isIdle()).isTrue();
  }

  @Test
  void movesThatMakeNoSenseAreRefused() {
    assertThatThrownBy(lane::take).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(lane::rest).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(lane::withdraw).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(lane::rowLeft).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> lane.rowArrived(1, 1, false))
        .isInstanceOf(IllegalStateException.class);
    assertThat(lane.offer()).as("it has nothing to deliver").isFalse();
  }
}
