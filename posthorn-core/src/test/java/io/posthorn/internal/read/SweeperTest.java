/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.RelayOptionsFixture;
import io.posthorn.internal.memory.ReadyIntake;
import io.posthorn.internal.memory.RelayMemory;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.ReadResult.Server;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.SeqRange;
import io.posthorn.spi.StoreException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which ranges are looked at, by how long each look takes. */
class SweeperTest {
  private static final RelayIdentity ME = new RelayIdentity("a", 1);
  private static final Duration INTERVAL = Duration.ofSeconds(10);
  private static final Duration FAIR = Duration.ofMillis(20); // neither fast nor slow
  private static final long FIRST_WIDTH = 100_000;

  private long now = Duration.ofDays(3).toNanos(); // tickers begin anywhere
  private Duration took = FAIR;
  private boolean timesOut;
  private final Map<Integer, Long> found = new HashMap<>();
  private final List<SeqRange> ranges = new ArrayList<>();
  private final RelayMemory memory =
      new RelayMemory(
          RelayOptionsFixture.standard(),
          () -> now,
          List.of(),
          (RelayMemory.Signals)
              Proxy.newProxyInstance(
                  SweeperTest.class.getClassLoader(),
                  new Class<?>[] {RelayMemory.Signals.class},
                  (proxy, method, arguments) -> null));
  private final RelayStore store =
      (RelayStore)
          Proxy.newProxyInstance(
              SweeperTest.class.getClassLoader(),
              new Class<?>[] {RelayStore.class},
              (proxy, method, arguments) -> {
                assertThat(method.getName()).isEqualTo("findReady");
                return look((List<?>) arguments[0]);
              });
  private final Sweeper sweeper = new Sweeper(store, memory.partitions(), () -> now, INTERVAL);

  private Map<Integer, Long> look(List<?> wanted) {
    wanted.forEach(range -> ranges.add((SeqRange) range));
    now += took.toNanos();
    if (timesOut) {
      throw new StoreException(StoreException.Kind.UNKNOWN, "canceled", null);
    }
    return found;
  }

  private void hold(long... floors) {
    memory
        .partitions()
        .hold(
            ME,
            IntStream.range(0, floors.length)
                .mapToObj(number -> new PartitionOwner(number, ME, 1, 0, floors[number]))
                .toList());
    memory
        .dueIntake()
        .deferredHandlers(
            memory.dueIntake().partitionsToLoad(), Map.of(), memory.dueIntake().lookBegins());
    sweeper.partitionsCame();
    now += INTERVAL.toNanos();
  }

  /** One look at everything below the floors. */
  private void sweep() {
    do {
      sweeper.runOnce();
      now +=
          sweeper.isUnfinished() ? 0 : Math.min(sweeper.nanosUntilNext(), INTERVAL.toNanos() / 2);
    } while (sweeper.nanosUntilNext() < Long.MAX_VALUE);
  }

  /** A database that tells of other transactions, so that rows below the floors are exceptions. */
  private void databaseTells() {
    ReadyIntake.Plan plan = memory.readyIntake().plan(any -> true).orElseThrow();
    memory
        .readyIntake()
        .accept(
            plan,
            new ReadResult(List.of(), List.of(), false, Server.UNKNOWN, 100, null, null),
            List.of());
  }

  private void assertCovers(int partition, long floor) {
    long end = 0;
    for (SeqRange range : ranges) {
      if (range.partition() == partition) {
        assertThat(range.after()).isEqualTo(end);
        end = range.last();
      }
    }
    assertThat(end).isEqualTo(floor);
  }

  private static long width(SeqRange range) {
    return range.last() - range.after();
  }

  @Test
  void rangesAreBoundedAndCoverAllThatIsBelowTheFloors() {
    hold(1_050_000, 0, 99);
    sweep();
    assertCovers(0, 1_050_000);
    assertCovers(1, 0);
    assertCovers(2, 99);
    assertThat(ranges).hasSize(11 + 1 + 1);
    assertThat(ranges).allSatisfy(range -> assertThat(width(range)).isBetween(0L, FIRST_WIDTH));
  }

  @Test
  void whereTheDatabaseTellsOneRangeIsLookedAtAtATimeWithRests() {
    hold(250_000, 250_000);
    databaseTells();
    for (int look = 1; look <= 6; look++) {
      sweeper.runOnce();
      assertThat(ranges).hasSize(look);
      sweeper.runOnce();
      assertThat(ranges).as("it rests").hasSize(look);
      now += 9 * FAIR.toNanos();
    }
    assertCovers(0, 250_000);
    assertCovers(1, 250_000);
    assertThat(sweeper.isUnfinished()).isFalse();
  }

  @Test
  void aRangeThatTimedOutIsTriedAgainAtHalfTheWidthAndNothingIsLeftOut() {
    hold(1_000_000);
    timesOut = true;
    for (int i = 0; i < 10; i++) {
      assertThatThrownBy(sweeper::runOnce).isInstanceOf(StoreException.class);
    }
    assertThat(ranges).allSatisfy(range -> assertThat(range.after()).isZero());
    assertThat(ranges)
        .extracting(SweeperTest::width)
        .startsWith(100_000L, 50_000L, 25_000L, 12_500L)
        .endsWith(1_562L, 1_000L, 1_000L, 1_000L);
    ranges.clear();
    timesOut = false;
    sweep();
    assertCovers(0, 1_000_000);
    assertThat(ranges).allSatisfy(range -> assertThat(width(range)).isLessThanOrEqualTo(1_000));
  }

  @Test
  void rangesGetNarrowerWhileLooksAreSlowAndWiderWhileTheyAreFast() {
    hold(10_000_000);
    took = Duration.ofMillis(60);
    sweeper.runOnce();
    sweeper.runOnce();
    took = Duration.ofMillis(1);
    sweep();
    assertThat(ranges)
        .extracting(SweeperTest::width)
        .startsWith(100_000L, 50_000L, 25_000L, 50_000L, 100_000L, 200_000L, 400_000L);
    assertCovers(0, 10_000_000);
  }

  @Test
  void whatIsFoundIsReadFromThereAndTheRestIsNotLookedAt() {
    hold(1_000_000);
    databaseTells();
    found.put(0, 4_711L);
    assertThat(sweeper.runOnce()).isEqualTo(1);
    assertThat(sweeper.isUnfinished()).isFalse();
    assertThat(memory.readyIntake().moreWaiting()).isTrue();
    assertThat(memory.partitions().rangeBelowFloor(0, -1, Long.MAX_VALUE))
        .hasValue(new SeqRange(0, 0, 4_710));
  }
}
