/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a relay remembers of the deferred rows of a partition. */
class DeferredRowsTest {
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();

  private static final long LAG = DeferredRows.FLOOR_LAG_NANOS;

  private final DeferredRows rows = new DeferredRows(0);

  /** Two raises are behind it, and nothing is gone. */
  private void longHeld() {
    rows.floorRaised(0);
    rows.floorRaised(0);
  }

  @Test
  void aLookAtTheTableTellsWhoHasRows() {
    rows.found(Set.of("mailer", "audit"), 1);
    assertThat(rows.handlers()).containsExactlyInAnyOrder("mailer", "audit");
    rows.found(Set.of("audit"), 2);
    assertThat(rows.handlers()).containsExactly("audit");
  }

  @Test
  void aLookDoesNotSeeWhatIsOnItsWayOrArrivedAfterItBegan() {
    rows.moves("mailer");
    rows.found(Set.of(), 5);
    assertThat(rows.handlers()).as("on its way").containsExactly("mailer");
    rows.arrived("mailer", 6);
    rows.found(Set.of(), 6);
    assertThat(rows.handlers()).as("it began before the row arrived").containsExactly("mailer");
    rows.found(Set.of(), 7);
    assertThat(rows.handlers()).isEmpty();
  }

  @Test
  void twoRowsOnTheirWayCountUntilBothHaveArrived() {
    rows.moves("mailer");
    rows.moves("mailer");
    rows.arrived("mailer", 1);
    rows.found(Set.of(), 2);
    assertThat(rows.handlers()).containsExactly("mailer");
    rows.arrived("mailer", 3);
    rows.found(Set.of(), 4);
    assertThat(rows.handlers()).isEmpty();
  }

  @Test
  void aRowThatHasJustLeftIsNotTakenOnceMoreByAReadThatBeganBefore() {
    assertThat(rows.enter(3, "mailer")).isTrue();
    assertThat(rows.enter(3, "mailer")).as("it is in memory").isFalse();
    assertThat(rows.enter(3, "audit")).as("another row").isTrue();
    rows.leave(3, "mailer");
    assertThat(rows.enter(3, "mailer")).isFalse();
    rows.readBegins(0);
    assertThat(rows.enter(3, "mailer")).isTrue();
    assertThat(rows.enter(3, "audit")).isFalse();
    rows.readBegins(0);
    assertThat(rows.inMemory()).as("it left once").hasSize(2);
  }

  @Test
  void aRowWhoseOutcomeIsRefusedIsReadAgainAfterAWhile() {
    rows.enter(3, "mailer");
    rows.enter(4, "mailer");
    rows.abandon(3, "mailer", 100);
    rows.abandon(4, "mailer", 200);
    rows.readBegins(99);
    assertThat(rows.inMemory()).hasSize(2);
    rows.readBegins(100);
    assertThat(rows.inMemory()).extracting(DeferredRows.Row::seq).containsExactly(4L);
    rows.readBegins(300);
    assertThat(rows.inMemory()).isEmpty();
  }

  @Test
  void readsBeginElsewhereWhenManyRowsAreGone() {
    longHeld();
    rows.found(Set.of("mailer"), 1);
    for (int i = 0; i < 99; i++) {
      rows.leave(i, "mailer");
    }
    assertThat(rows.wantsFloorRaised(0)).isFalse();
    rows.leave(99, "mailer");
    assertThat(rows.wantsFloorRaised(0)).isTrue();
  }

  /** Otherwise each read would walk over them for as long as a snapshot keeps them. */
  @Test
  void theFloorIsRaisedOnceMoreWhenItCanPassOverTheLastRowsThatWereGone() { // issue 17, 4
    longHeld();
    rows.found(Set.of("mailer"), 1);
    for (int i = 0; i < 100; i++) {
      rows.leave(i, "mailer");
    }
    rows.floorRaised(7);
    assertThat(rows.wantsFloorRaised(7 + LAG - 1)).as("it would pass over nothing").isFalse();
    assertThat(rows.wantsFloorRaised(7 + LAG)).isTrue();
    rows.floorRaised(7 + LAG);
    assertThat(rows.wantsFloorRaised(7 + MINUTE)).as("none is gone since").isFalse();
  }

  @Test
  void aNewOwnerRaisesTheFloorAtOnceAndWhenTheLastRowsOfTheOneBeforeAreBehindIt() {
    assertThat(rows.wantsFloorRaised(0)).isTrue();
    rows.floorRaised(1);
    assertThat(rows.wantsFloorRaised(LAG)).isFalse();
    assertThat(rows.wantsFloorRaised(LAG + 1)).isTrue();
    rows.floorRaised(LAG + 1);
    assertThat(rows.wantsFloorRaised(MINUTE)).isFalse();
  }

  @Test
  void readsBeginElsewhereWhenSomeRowsAreGoneForAWhileOrAllAre() {
    longHeld();
    assertThat(rows.wantsFloorRaised(0)).as("there were none").isFalse();
    rows.found(Set.of("mailer"), 1);
    rows.floorRaised(500);
    rows.leave(1, "mailer");
    assertThat(rows.wantsFloorRaised(500 + MINUTE - 1)).isFalse();
    assertThat(rows.wantsFloorRaised(500 + MINUTE)).isTrue();
    rows.found(Set.of(), 2);
    assertThat(rows.wantsFloorRaised(501)).as("nobody has rows any more").isTrue();
  }
}
