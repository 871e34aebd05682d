/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.internal.memory.Destinations.Wait;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** One topic, exchange or address of a handler is unavailable, the others are not. */
class DestinationsTest {
  private static final Duration PROBE = Duration.ofSeconds(1);

  private long now = Duration.ofDays(3).toNanos();
  private final Destinations destinations = new Destinations(PROBE);

  private void pass(Duration time) {
    now += time.toNanos();
  }

  @Test
  void onlyTheFirstFailureIsNews() {
    assertThat(destinations.down("orders", "no leader", now)).isTrue();
    assertThat(destinations.down("orders", "no leader", now)).isFalse();
    assertThat(destinations.down("audit", "no leader", now)).isTrue();
    assertThat(destinations.unavailable()).containsExactlyInAnyOrder("orders", "audit");
  }

  @Test
  void messagesToItWaitAndOthersDoNot() {
    assertThat(destinations.mustWait("orders", now)).as("nothing is down").isEmpty();
    destinations.down("orders", "no leader", now);
    assertThat(destinations.mustWait("orders", now)).hasValue(new Wait("no leader", PROBE));
    assertThat(destinations.mustWait("audit", now)).isEmpty();
  }

  @Test
  void oneMessageIsTriedWhenItsTimeHasComeAndOthersWaitForItsAnswer() {
    destinations.down("orders", "no leader", now);
    pass(PROBE.minusNanos(1));
    assertThat(destinations.mustWait("orders", now)).isPresent();
    pass(Duration.ofNanos(1));
    assertThat(destinations.mustWait("orders", now)).isEmpty();
    assertThat(destinations.mustWait("orders", now)).isPresent();
    pass(Duration.ofSeconds(30).minusNanos(1));
    assertThat(destinations.mustWait("orders", now)).as("no answer yet").isPresent();
    pass(Duration.ofNanos(1));
    assertThat(destinations.mustWait("orders", now)).as("none comes any more").isEmpty();
  }

  @Test
  void aProbeThatFailsPutsTheNextOneOffByTheInterval() {
    destinations.down("orders", "no leader", now);
    pass(PROBE);
    assertThat(destinations.mustWait("orders", now)).isEmpty();
    destinations.down("orders", "no leader", now);
    assertThat(destinations.mustWait("orders", now)).isPresent();
    pass(PROBE);
    assertThat(destinations.mustWait("orders", now)).isEmpty();
  }

  @Test
  void delaysGrowToAQuarterOfTheOutageAndToHalfAMinute() {
    assertThat(destinations.delay("orders", now)).isEqualTo(PROBE);
    destinations.down("orders", "no leader", now);
    pass(Duration.ofSeconds(3));
    assertThat(destinations.delay("orders", now)).isEqualTo(PROBE);
    pass(Duration.ofSeconds(5));
    assertThat(destinations.delay("orders", now)).isEqualTo(Duration.ofSeconds(2));
    pass(Duration.ofMinutes(5));
    assertThat(destinations.delay("orders", now)).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void itIsToldForHowLongADestinationWasUnavailable() {
    assertThat(destinations.back("orders", now)).isEmpty();
    destinations.down("orders", "no leader", now);
    assertThat(destinations.back("audit", now)).isEmpty();
    pass(Duration.ofSeconds(7));
    assertThat(destinations.back("orders", now)).hasValue(Duration.ofSeconds(7));
    assertThat(destinations.back("orders", now)).isEmpty();
    assertThat(destinations.mustWait("orders", now)).isEmpty();
  }

  @Test
  void whereNamesAreMadeOfValuesOfMessagesNoMoreThanAThousandAreKept() {
    for (int i = 0; i < 1_000; i++) {
      assertThat(destinations.down("user-" + i, "no such queue", now)).isTrue();
    }
    assertThat(destinations.unavailable()).hasSize(1_000);
    destinations.down("user-1000", "no such queue", now);
    assertThat(destinations.unavailable()).containsExactly("user-1000");
  }
}
