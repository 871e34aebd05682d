/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.internal.run.FailureLog;
import io.posthorn.internal.run.Listeners;
import io.posthorn.internal.run.RecordingLogger;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PurgerTest {
  private static final Duration INTERVAL = Duration.ofMinutes(10);

  private final AtomicInteger old = new AtomicInteger();
  private final AtomicBoolean mine = new AtomicBoolean(true);
  private final Purger purger =
      new Purger(
          List.of(new Purger.Purge("keys", this::delete)),
          mine::get,
          INTERVAL,
          new Listeners(List.of(), new FailureLog(new RecordingLogger(), "a", () -> 0)));

  private int delete(int limit) {
    int some = Math.min(limit, old.get());
    old.addAndGet(-some);
    return some;
  }

  @Test
  void passesOfProcessesThatStartedTogetherDriftApart() {
    Set<Duration> pauses =
        IntStream.range(0, 100)
            .mapToObj(i -> purger.runOnce().nextIn())
            .collect(Collectors.toSet());

    assertThat(pauses).hasSizeGreaterThan(90);
    assertThat(pauses).allMatch(pause -> pause.compareTo(Duration.ofMinutes(8)) >= 0);
    assertThat(pauses).allMatch(pause -> pause.compareTo(Duration.ofMinutes(12)) <= 0);
  }

  @Test
  void aFullBatchIsFollowedByTheNextOneAtOnce() {
    old.set(1_500);

    assertThat(purger.runOnce().nextIn()).isZero();
    assertThat(purger.runOnce().nextIn()).isPositive();
    assertThat(old).hasValue(0);
  }

  @Test
  void whatIsForAnotherProcessToPurgeIsLeftAlone() {
    old.set(1);
    mine.set(false);

    assertThat(purger.runOnce().done()).isZero();
    assertThat(old).hasValue(1);
  }
}
