/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class UuidV7Test {
  private final SetClock clock = new SetClock(Instant.parse("2026-03-29T00:59:30Z"));
  private final UuidV7 ids = new UuidV7(clock);

  /** Stands still until it is set. */
  private static final class SetClock extends Clock {
    private volatile Instant now;

    SetClock(Instant now) {
      this.now = now;
    }

    @Override
    public Instant instant() {
      return now;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }

  private List<UUID> next(int count) {
    List<UUID> made = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      made.add(ids.next());
    }
    return made;
  }

  @Test
  void versionVariantAndTimeStandWhereTheStandardWantsThem() {
    UUID id = ids.next();

    assertThat(id.version()).isEqualTo(7);
    assertThat(id.variant()).isEqualTo(2);
    assertThat(id.getMostSignificantBits() >>> 16).isEqualTo(clock.millis());
  }

  @Test
  void idsGrowStrictlyWhileTheClockStandsStill() {
    List<UUID> made = next(10_000); // more than fit into a millisecond's twelve bits

    assertThat(made).isSorted().doesNotHaveDuplicates();
    assertThat(made).allMatch(id -> id.version() == 7 && id.variant() == 2);
  }

  @Test
  void idsGrowStrictlyWhenTheClockGoesBack() {
    UUID before = ids.next();
    clock.now = clock.now.minusSeconds(3600);

    assertThat(next(10)).isSorted().allMatch(id -> id.compareTo(before) > 0);
  }

  @Test
  void idsFollowTheClockForward() {
    UUID before = ids.next();
    clock.now = clock.now.plusSeconds(1);

    UUID after = ids.next();

    assertThat(after).isGreaterThan(before);
    assertThat(after.getMostSignificantBits() >>> 16).isEqualTo(clock.millis());
  }

  @Test
  void idsOfManyThreadsAreUniqueAndGrowInEach() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      Callable<List<UUID>> many = () -> next(20_000);
      Set<UUID> all = new HashSet<>();
      Set<Long> highs = new HashSet<>();
      for (Future<List<UUID>> made : threads.invokeAll(List.of(many, many, many, many))) {
        assertThat(made.get()).isSorted();
        all.addAll(made.get());
        made.get().forEach(id -> highs.add(id.getMostSignificantBits()));
      }
      assertThat(all).hasSize(80_000);
      assertThat(highs).as("no two with the same time and count").hasSize(80_000);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void idsOfTwoProcessesDifferWithinOneMillisecond() {
    assertThat(new UuidV7(clock).next()).isNotEqualTo(new UuidV7(clock).next());
  }
}
