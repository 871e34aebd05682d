/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.internal.policy.Fleet;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.LiveInstance;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TakeoverTest {
  private static final Map<String, Set<String>> HANDLERS = Map.of("mailer", Set.of("t"));

  private final RelayIdentity a = new RelayIdentity("a", 1);
  private final RelayIdentity b = new RelayIdentity("b", 2);
  private final RelayIdentity gone = new RelayIdentity("gone", 3);

  private static PartitionOwner partition(int number, @Nullable RelayIdentity owner) {
    return new PartitionOwner(number, owner, 1);
  }

  private Takeover choose(
      RelayIdentity me, Set<Integer> held, int wanted, PartitionOwner... partitions) {
    List<LiveInstance> instances =
        List.of(new LiveInstance(a, HANDLERS, false), new LiveInstance(b, HANDLERS, false));
    FleetSurvey survey =
        new FleetSurvey(
            List.of(partitions), instances, Set.of(), Duration.ofSeconds(30), List.of());
    Fleet fleet = new Fleet(instances, List.of(), HANDLERS, Duration.ofHours(1));
    return Takeover.choose(survey, fleet, me, held, wanted);
  }

  @Test
  void onlyWhatNobodyAliveHasIsTaken() {
    Takeover choice =
        choose(
            a,
            Set.of(0),
            9,
            partition(0, a),
            partition(1, b),
            partition(2, gone),
            partition(3, null));

    assertThat(choice.free()).extracting(PartitionOwner::partition).containsExactly(2, 3);
    assertThat(choice.own()).isEmpty();
    assertThat(choice.goneOwners()).containsExactly(Map.entry(2, gone));
  }

  @Test
  void noMoreThanTheShareIsTaken() {
    Takeover choice =
        choose(a, Set.of(), 2, partition(0, null), partition(1, null), partition(2, null));

    assertThat(choice.free()).extracting(PartitionOwner::partition).containsExactly(0, 1);
    assertThat(choose(a, Set.of(), -1, partition(0, null)).free()).isEmpty();
  }

  @Test
  void whatItOwnsWithoutKnowingCountsAsTaken() {
    Takeover choice =
        choose(a, Set.of(), 2, partition(0, a), partition(1, null), partition(2, null));

    assertThat(choice.own()).extracting(PartitionOwner::partition).containsExactly(0);
    assertThat(choice.free()).extracting(PartitionOwner::partition).containsExactly(1);
    assertThat(choice.goneOwners()).isEmpty();
  }

  @Test
  void eachBeginsBehindWhatTheOthersWantAndTakesInTheOrderOfAll() {
    PartitionOwner[] free = {
      partition(0, null), partition(1, null), partition(2, null), partition(3, null)
    };

    assertThat(choose(a, Set.of(), 2, free).free())
        .extracting(PartitionOwner::partition)
        .containsExactly(0, 1);
    assertThat(choose(b, Set.of(), 2, free).free())
        .extracting(PartitionOwner::partition)
        .containsExactly(2, 3);
    assertThat(choose(b, Set.of(), 3, free).free())
        .extracting(PartitionOwner::partition)
        .as("round the end, and sorted")
        .containsExactly(0, 2, 3);
  }
}
