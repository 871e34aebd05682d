/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.posthorn.spi.AdminStore.Report;
import io.posthorn.spi.LiveInstance;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Relays join, give signs of life, leave, and are expelled when they are silent for too long.
 *
 * @since 0.1
 */
public abstract class LeaseContract extends StoreContract {
  private static final Duration SHORT_LEASE = LEASE.dividedBy(10);

  private List<RelayIdentity> alive() {
    return relay().survey().instances().stream().map(LiveInstance::identity).sorted().toList();
  }

  private List<RelayIdentity> stale() {
    return relay().survey().instances().stream()
        .filter(LiveInstance::stale)
        .map(LiveInstance::identity)
        .sorted()
        .toList();
  }

  @Test
  void joiningRelayAppearsInTheSurvey() {
    RelayIdentity me = join("a");

    assertThat(me.id()).isEqualTo("a");
    assertThat(alive()).containsExactly(me);
    assertThat(stale()).isEmpty();
  }

  @Test
  void everyJoinGetsAHigherIncarnation() {
    RelayIdentity first = join("a");
    RelayIdentity second = join("b");
    relay().leave(first);
    RelayIdentity third = join("a");

    assertThat(List.of(first.incarnation(), second.incarnation(), third.incarnation()))
        .isSorted()
        .doesNotHaveDuplicates();
  }

  @Test
  void twoLivesOfOneNameStandSideBySide() {
    RelayIdentity first = join("a");
    RelayIdentity second = join("a");

    assertThat(alive()).containsExactly(first, second);
  }

  @Test
  void surveyTellsTheHandlersOfEachInstance() {
    Map<String, Set<String>> some =
        Map.of("mailer", Set.of("order-placed", "order-paid"), "Büro 東京", Set.of("x"));
    Map<String, Set<String>> deciding = Map.of("everything", Set.of());
    RelayIdentity a = relay().join("a", some);
    RelayIdentity b = relay().join("b", deciding);
    RelayIdentity c = relay().join("c", Map.of());

    assertThat(relay().survey().instances())
        .containsExactlyInAnyOrder(
            new LiveInstance(a, some, false),
            new LiveInstance(b, deciding, false),
            new LiveInstance(c, Map.of(), false));
  }

  @Test
  void heartbeatOfALivingRelayIsTaken() {
    RelayIdentity me = join("a");

    assertThat(relay().heartbeat(me, "")).isTrue();
  }

  @Test
  void relayIsStaleOnlyAfterTheLeaseOnTheStoresClock() {
    RelayIdentity me = join("a");

    advance(LEASE.dividedBy(2));
    assertThat(stale()).isEmpty();
    advance(LEASE.dividedBy(2).plus(MOMENT));
    assertThat(stale()).containsExactly(me);
  }

  @Test
  void surveyTellsWhenTheNextRelayIsStale() {
    join("a");
    advance(LEASE.plus(MOMENT));
    join("b");
    advance(LEASE.dividedBy(3));
    join("c");

    assertThat(relay().survey().untilStale())
        .isBetween(LEASE.dividedBy(2), LEASE.dividedBy(3).multipliedBy(2));
  }

  @Test
  void heartbeatBeginsANewLease() {
    RelayIdentity me = join("a");
    advance(LEASE.dividedBy(2));
    relay().heartbeat(me, "");

    advance(LEASE.dividedBy(2).plus(MOMENT));
    assertThat(stale()).isEmpty();
    advance(LEASE.dividedBy(2).plus(MOMENT));
    assertThat(stale()).containsExactly(me);
  }

  @Test
  void staleRelayThatIsNotExpelledYetComesBackWithAHeartbeat() {
    RelayIdentity me = join("a");
    advance(LEASE.plus(MOMENT));

    assertThat(relay().heartbeat(me, "")).isTrue();

    assertThat(stale()).isEmpty();
    assertThat(expelStale()).isEmpty();
  }

  @Test
  void onlyStaleRelaysAreExpelled() {
    RelayIdentity silent = join("a");
    RelayIdentity mute = join("b");
    advance(LEASE.plus(MOMENT));
    RelayIdentity young = join("c");

    assertThat(expelStale()).containsExactlyInAnyOrder(silent, mute);

    assertThat(alive()).containsExactly(young);
    assertThat(expelStale()).isEmpty();
  }

  /** The clock of another server may be behind, after a failover. */
  @Test
  void endThatWasStatedBeforeTheClockWentBackIsCountedFromNow() {
    RelayIdentity silent = join("a");
    advance(Duration.ofHours(-1));
    RelayIdentity young = join("b");

    assertThat(expelStale()).as("nobody knows that it is silent").isEmpty();
    assertThat(stale()).isEmpty();
    advance(LEASE.dividedBy(2));
    assertThat(relay().heartbeat(young, "")).isTrue();
    advance(LEASE.dividedBy(2).plus(MOMENT));
    assertThat(expelStale()).containsExactly(silent);
    assertThat(alive()).containsExactly(young);
  }

  @Test
  void relayIsAskedToLookAgainWhenTheClockWentBack() {
    RelayIdentity me = join("a");
    advance(Duration.ofHours(-1));

    assertThat(stale()).containsExactly(me);
    assertThat(relay().heartbeat(me, "")).isTrue();
    assertThat(stale()).isEmpty();
  }

  @Test
  void relayDoesNotExpelItself() {
    RelayIdentity me = join("a");
    RelayIdentity other = join("a");
    advance(LEASE.plus(MOMENT));

    assertThat(relay().expelStale(me)).containsExactly(other);

    assertThat(alive()).containsExactly(me);
    assertThat(relay().heartbeat(me, "")).isTrue();
  }

  @Test
  void heartbeatOfAnExpelledRelayIsRefused() {
    RelayIdentity silent = expelled();

    assertThat(relay().heartbeat(silent, "")).isFalse();

    assertThat(alive()).isEmpty();
  }

  @Test
  void nextLifeDoesNotReviveTheExpelledOne() {
    RelayIdentity silent = expelled();
    RelayIdentity next = join(silent.id());

    assertThat(relay().heartbeat(silent, "")).isFalse();

    assertThat(alive()).containsExactly(next);
  }

  @Test
  void retiringRelayHandlesNothingMoreAndLives() {
    RelayIdentity me = relay().join("a", Map.of("mailer", Set.of("order-placed")));

    relay().retire(me);

    assertThat(relay().survey().instances()).containsExactly(new LiveInstance(me, Map.of(), false));
    assertThat(relay().heartbeat(me, "")).isTrue();
  }

  @Test
  void leavingRelayIsGone() {
    RelayIdentity me = join("a");
    RelayIdentity other = join("b");

    relay().leave(me);
    relay().leave(me);

    assertThat(alive()).containsExactly(other);
    assertThat(relay().heartbeat(me, "")).isFalse();
  }

  // --- reports

  private List<Report> reports() {
    return database().store().admin().reports();
  }

  @Test
  void heartbeatTellsWhatTheRelayIsDoing() {
    RelayIdentity me = join("a");
    RelayIdentity other = join("b");
    Instant joined = database().store().admin().now();
    advance(Duration.ofSeconds(1));
    relay().heartbeat(me, "relay messages=1");
    relay().heartbeat(me, "relay messages=2\nhandler name=B%C3%BCro");

    assertThat(reports())
        .extracting(Report::identity, Report::text)
        .containsExactlyInAnyOrder(
            tuple(me, "relay messages=2\nhandler name=B%C3%BCro"), tuple(other, null));
    assertThat(reports())
        .filteredOn(report -> report.identity().equals(me))
        .allSatisfy(
            report -> {
              assertThat(report.at()).isAfter(joined);
              assertThat(report.leaseEnd()).isEqualTo(report.at().plus(LEASE));
            });
  }

  @Test
  void longestReportIsKeptWhole() {
    String longest = "x".repeat(15_999) + "\n";
    RelayIdentity me = join("a");

    assertThat(relay().heartbeat(me, longest)).isTrue();

    assertThat(reports()).extracting(Report::text).containsExactly(longest);
  }

  @Test
  void whoHasGoneReportsNothing() {
    RelayIdentity silent = join("a");
    RelayIdentity leaving = join("b");
    relay().heartbeat(silent, "relay");
    relay().heartbeat(leaving, "relay");
    relay().leave(leaving);
    advance(LEASE.plus(MOMENT));
    expelStale();

    assertThat(reports()).isEmpty();
  }

  // --- relays with leases of different length, as while the setting is changed

  @Test
  void relayWithALongLeaseIsNotStaleForOneWithAShortLease() {
    RelayIdentity patient = join("patient");
    try (RelayStore other = database().store().relay(SHORT_LEASE)) {
      RelayIdentity hasty = other.join("hasty", Map.of());
      advance(SHORT_LEASE.plus(MOMENT));
      other.heartbeat(hasty, "");

      assertThat(other.survey().anyStale()).isFalse();
      assertThat(other.survey().untilStale()).isBetween(MOMENT, SHORT_LEASE);
      assertThat(other.expelStale(hasty)).isEmpty();
      assertThat(alive()).containsExactly(patient, hasty);
    }
  }

  @Test
  void relayWithAShortLeaseIsStaleForOneWithALongLeaseAtItsOwnEnd() {
    try (RelayStore other = database().store().relay(SHORT_LEASE)) {
      RelayIdentity hasty = other.join("hasty", Map.of());
      RelayIdentity patient = join("patient");
      advance(SHORT_LEASE.dividedBy(2));
      assertThat(expelStale()).isEmpty();
      assertThat(relay().survey().untilStale()).isBetween(MOMENT, SHORT_LEASE);
      advance(SHORT_LEASE.dividedBy(2).plus(MOMENT));

      assertThat(stale()).containsExactly(hasty);
      assertThat(expelStale()).containsExactly(hasty);
      assertThat(alive()).containsExactly(patient);
    }
  }

  // --- beside a settle that is under way

  /** Runs an action while a transaction of this relay has stored an outcome and is still open. */
  private void insideASettle(RelayIdentity me, Runnable action) {
    StoredMessage row = append(Messages.keyed(0, "order-1"));
    Settlement delivered = new Settlement(List.of(left(row)), List.of());
    database()
        .inTransaction(
            transaction -> {
              assertThat(database().store().settle(transaction, me, delivered, LEASE.dividedBy(2)))
                  .isEqualTo(MessageStore.Settled.DONE);
              action.run();
            });
  }

  @Test
  void heartbeatDoesNotWaitForASettle() {
    RelayIdentity me = join("a");

    insideASettle(me, () -> assertThat(relay().heartbeat(me, "")).isTrue());
  }

  @Test
  void expulsionPassesOverARelayInsideASettle() {
    RelayIdentity busy = join("a");
    RelayIdentity idle = join("b");

    insideASettle(
        busy,
        () -> {
          advance(LEASE.plus(MOMENT));
          assertThat(expelStale()).containsExactly(idle);
          assertThat(stale()).containsExactly(busy);
        });

    assertThat(expelStale()).containsExactly(busy);
  }

  @Test
  void relayThatWasPassedOverInsideASettleLivesOnWithItsNextHeartbeat() {
    RelayIdentity me = join("a");

    insideASettle(
        me,
        () -> {
          advance(LEASE.plus(MOMENT));
          assertThat(expelStale()).isEmpty();
          assertThat(relay().heartbeat(me, "")).isTrue();
        });

    assertThat(expelStale()).isEmpty();
    assertThat(alive()).containsExactly(me);
  }

  // --- handlers of those that are gone

  private static final Map<String, Set<String>> TWO =
      Map.of("mailer", Set.of("order-placed", "order-paid"), "Büro 東京", Set.of());

  private void assertGone(RelayIdentity instance) {
    assertThat(relay().survey().gone())
        .extracting(gone -> gone.handler() + " " + gone.instance() + " " + gone.types().size())
        .containsExactlyInAnyOrder("mailer " + instance + " 2", "Büro 東京 " + instance + " 0");
  }

  @Test
  void handlersOfARelayThatLeavesAreNotedOnce() {
    RelayIdentity me = relay().join("a", TWO);
    assertThat(relay().survey().gone()).isEmpty();

    relay().leave(me);
    assertGone(me);
    relay().leave(me);
    assertGone(me);
  }

  @Test
  void handlersOfARelayThatRetiresAreNotedOnce() {
    RelayIdentity me = relay().join("a", TWO);

    relay().retire(me);
    assertGone(me);
    relay().retire(me);
    relay().leave(me);
    assertGone(me);
  }

  @Test
  void handlersOfAnExpelledRelayAreNotedWithTheTime() {
    RelayIdentity me = relay().join("a", TWO);
    advance(LEASE.plus(MOMENT));

    expelStale();
    relay().leave(me);

    assertGone(me);
    assertThat(relay().survey().gone()).allMatch(gone -> gone.age().compareTo(LEASE) < 0);
    advance(LEASE.plus(MOMENT));
    assertThat(relay().survey().gone()).allMatch(gone -> gone.age().compareTo(LEASE) > 0);
  }

  @Test
  void onlyWhatIsNamedIsForgotten() {
    RelayIdentity first = relay().join("a", TWO);
    RelayIdentity second = relay().join("a", TWO);
    relay().leave(first);
    relay().leave(second);

    relay()
        .forget(
            relay().survey().gone().stream()
                .filter(gone -> gone.instance().equals(first))
                .toList());

    assertGone(second);
  }

  @Test
  void aPersonForgetsAHandlerOfAllThatAreGone() {
    relay().leave(relay().join("a", TWO));
    relay().leave(relay().join("b", TWO));

    assertThat(database().store().admin().forgetHandler("mailer")).isTrue();
    assertThat(database().store().admin().forgetHandler("mailer")).isFalse();

    assertThat(relay().survey().gone())
        .hasSize(2)
        .allMatch(gone -> gone.handler().equals("Büro 東京"));
  }

  @Test
  void relaysSeeEachOtherThroughDifferentConnections() {
    RelayIdentity me = join("a");

    try (var other = database().store().relay(LEASE)) {
      assertThat(other.survey().instances()).extracting(LiveInstance::identity).containsExactly(me);
    }
  }

  @Test
  void closedAccessMayBeClosedAgain() {
    var other = database().store().relay(LEASE);
    RelayIdentity me = other.join("a", Map.of());
    other.close();
    other.close();

    assertThat(alive()).containsExactly(me);
  }
}
