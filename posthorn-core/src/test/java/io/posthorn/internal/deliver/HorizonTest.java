/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.Envelope;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class HorizonTest {
  private static final long LOOK_BACK = Duration.ofSeconds(10).toNanos();
  private static final long LONG_AFTER = Duration.ofSeconds(1).toNanos();

  private final Horizon horizon = new Horizon(0, LOOK_BACK);
  private long now;

  @Test
  void markIsPassedWhenAllTransactionsUpToItHaveEnded() {
    assertThat(mark(7, 100, 100)).isZero();
    assertThat(read(100)).as("transaction 100 still runs").isZero();
    assertThat(read(101)).isEqualTo(7);
  }

  @Test
  void nextMarkIsTakenOnlyWhenTheLastOneWasPassed() {
    mark(7, 100, 100);
    now += LONG_AFTER;
    assertThat(horizon.wantsMark(now)).isFalse();
    assertThat(mark(9, 110, 100)).as("asked for in vain").isZero();
    assertThat(read(101)).isEqualTo(7);
  }

  @Test
  void markIsPassedAfterTheLookBackWhateverRuns() {
    mark(7, 100, 50);
    now += LOOK_BACK;
    assertThat(read(50)).isEqualTo(7);
  }

  @Test
  void withoutBeingToldTheHighestRowIsPassedAfterTheLookBack() {
    horizon.read(new ReadResult(List.of(row(3), row(8), row(5)), 0, null), true, now, now);
    now += LOOK_BACK - 1;
    assertThat(read(0)).isZero();
    now += 1;
    assertThat(read(0)).isEqualTo(8);
  }

  @Test
  void whereNothingNewWasSeenNoMarkIsWanted() {
    assertThat(horizon.wantsMark(now)).as("the first one").isTrue();
    mark(7, 100, 100);
    read(101);
    now += LONG_AFTER;
    assertThat(horizon.wantsMark(now)).isFalse();
    horizon.read(new ReadResult(List.of(row(8)), 101, null), false, now, now);
    assertThat(horizon.wantsMark(now)).isTrue();
  }

  @Test
  void whoWasNotWaitedForIsSweptForUntilHeHasEnded() {
    mark(7, 100, 50);
    assertThat(horizon.unsure()).isFalse();
    now += LOOK_BACK;
    read(50);
    assertThat(horizon.unsure()).isTrue();
    swept(100);
    assertThat(horizon.unsure()).as("transaction 100 still runs").isTrue();
    read(101);
    assertThat(horizon.unsure()).as("its rows have not been looked for").isTrue();
    swept(101);
    assertThat(horizon.unsure()).isFalse();
  }

  @Test
  void whoHasEndedNeedNotBeSweptFor() {
    mark(7, 100, 100);
    now += LOOK_BACK;
    assertThat(read(101)).isEqualTo(7);
    assertThat(horizon.unsure()).isFalse();
  }

  @Test
  void withoutBeingToldSweepsNeverEnd() {
    horizon.read(new ReadResult(List.of(row(3)), 0, null), true, now, now);
    now += LOOK_BACK;
    assertThat(read(0)).isEqualTo(3);
    swept(0);
    assertThat(horizon.unsure()).isTrue();
  }

  private void swept(long oldest) {
    horizon.swept(new ReadResult(List.of(), oldest, null));
  }

  private long mark(long drawn, long transaction, long oldest) {
    ReadResult.Mark mark = new ReadResult.Mark(drawn, transaction);
    return horizon.read(new ReadResult(List.of(), oldest, mark), true, now, now);
  }

  private long read(long oldest) {
    return horizon.read(new ReadResult(List.of(), oldest, null), false, now, now);
  }

  private static StoredMessage row(long seq) {
    return new StoredMessage(
        0,
        seq,
        new Envelope(
            new UUID(0, seq),
            "type",
            null,
            null,
            null,
            Map.of(),
            "text/plain",
            null,
            Instant.EPOCH,
            null),
        Instant.EPOCH,
        false);
  }
}
