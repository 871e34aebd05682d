/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.FleetSurvey.Gone;
import io.posthorn.spi.LiveInstance;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FleetTest {
  private static final Map<String, Set<String>> HANDLERS = Map.of("mailer", Set.of("t"));

  private static final Duration GRACE = Duration.ofHours(1);

  private final RelayIdentity a = new RelayIdentity("a", 1);
  private final RelayIdentity b = new RelayIdentity("b", 2);
  private final RelayIdentity c = new RelayIdentity("c", 3);

  private static LiveInstance working(RelayIdentity identity) {
    return new LiveInstance(identity, HANDLERS, false);
  }

  private static LiveInstance retired(RelayIdentity identity) {
    return new LiveInstance(identity, Map.of(), false);
  }

  private static Fleet fleet(LiveInstance... instances) {
    return new Fleet(List.of(instances), List.of(), HANDLERS, GRACE);
  }

  private static PartitionOwner partition(int number, @Nullable RelayIdentity owner) {
    return new PartitionOwner(number, owner, 1);
  }

  @Test
  void sharesAddUpToAllPartitions() {
    Fleet fleet = fleet(working(c), working(a), working(b));

    assertThat(List.of(fleet.share(a, 8), fleet.share(b, 8), fleet.share(c, 8)))
        .containsExactly(3, 3, 2);
  }

  @Test
  void whoIsAboutToLeaveHasNoShare() {
    Fleet fleet = fleet(working(a), retired(b), working(c));

    assertThat(List.of(fleet.share(a, 8), fleet.share(b, 8), fleet.share(c, 8)))
        .containsExactly(4, 0, 4);
  }

  @Test
  void whereNobodyHasHandlersAllShare() {
    assertThat(fleet(retired(a), retired(b)).share(b, 8)).isEqualTo(4);
  }

  @Test
  void eachBeginsBehindWhatThoseBeforeItLack() {
    Fleet fleet = fleet(working(a), working(b), working(c));
    List<PartitionOwner> partitions =
        List.of(
            partition(0, a),
            partition(1, c),
            partition(2, null),
            partition(3, null),
            partition(4, null),
            partition(5, null));

    assertThat(fleet.wantedBefore(a, partitions)).isZero();
    assertThat(fleet.wantedBefore(b, partitions)).isEqualTo(1);
    assertThat(fleet.wantedBefore(c, partitions)).isEqualTo(3);
  }

  // --- handlers that nobody has any more

  private Fleet remembering(Gone... gone) {
    return new Fleet(List.of(working(a)), List.of(gone), HANDLERS, GRACE);
  }

  private Gone gone(String handler, Duration age) {
    return new Gone(handler, b, Set.of("t"), age);
  }

  @Test
  void aHandlerIsRememberedForTheGrace() {
    Gone ship = gone("ship", GRACE.minusMillis(1));
    Fleet fleet = remembering(ship, gone("old", GRACE));

    assertThat(fleet.elsewhere("t", "t").typed()).containsExactly("ship");
    assertThat(fleet.elsewhere("other", "other").none()).isTrue();
    assertThat(fleet.remembered()).containsExactly("ship");
    assertThat(fleet.forgettable()).extracting(Gone::handler).containsExactly("old");
  }

  @Test
  void aHandlerThatALiveInstanceHasIsNotRememberedWhateverTypesItHad() {
    String live = HANDLERS.keySet().iterator().next();
    Fleet fleet = remembering(gone(live, Duration.ZERO));

    assertThat(fleet.elsewhere("t", "t").none()).isTrue();
    assertThat(fleet.forgettable()).hasSize(1);
    assertThat(fleet.remembered()).isEmpty();
  }

  @Test
  void aStaleInstanceThatIsNotExpelledYetHasItsHandlersRemembered() {
    LiveInstance dying = new LiveInstance(b, Map.of("ship", Set.of("t")), true);
    Fleet fleet = new Fleet(List.of(working(a), dying), List.of(), HANDLERS, GRACE);

    assertThat(fleet.elsewhere("t", "t").typed()).containsExactly("ship");
    assertThat(fleet.handlers()).doesNotContain("ship");
  }

  @Test
  void ofAGenericHandlerThatIsGoneNobodyCanTell() {
    Fleet fleet = remembering(new Gone("all", b, Set.of(), Duration.ZERO));

    assertThat(fleet.elsewhere("t", "t").gone()).containsExactly("all");
    assertThat(fleet.elsewhere("t", "t").none()).isTrue();
  }
}
