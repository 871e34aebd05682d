/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore.UnclaimedKind;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Rows that nobody takes where they are, are found and made due by partition, reason, handler and
 * type.
 *
 * @since 0.1
 */
public abstract class UnclaimedContract extends StoreContract {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final String UNDECIDED = DeferredMessage.UNDECIDED;

  private RelayIdentity me;

  @BeforeEach
  final void joinFleet() {
    me = join("a");
  }

  private static Fate waits(DeferReason reason) {
    return new Fate.Deferred(reason, 0, HOUR, null);
  }

  private static UnclaimedKind kind(
      int partition, DeferReason reason, String handler, String type) {
    return new UnclaimedKind(partition, reason, handler, type);
  }

  private static NewMessage ofType(String type) {
    return Messages.named(type, Map.of());
  }

  private StoredMessage unclaimed(String type) {
    return defer(me, ofType(type), UNDECIDED, waits(DeferReason.UNCLAIMED));
  }

  private List<Long> due(String handler) {
    return due(List.of(0), List.of(handler), 100).stream().map(row -> row.message().seq()).toList();
  }

  @Test
  void eachKindIsFoundOnce() {
    for (int i = 0; i < 3; i++) {
      unclaimed("a");
      unclaimed("b");
      defer(me, ofType("a"), UNDECIDED, waits(DeferReason.ELSEWHERE));
      defer(me, ofType("a"), "mailer", waits(DeferReason.ELSEWHERE));
      defer(me, Messages.keyed(1, "order-1"), UNDECIDED, waits(DeferReason.UNCLAIMED));
    }

    assertThat(relay().unclaimed(List.of(0, 1, 2), 10))
        .containsExactlyInAnyOrder(
            kind(0, DeferReason.UNCLAIMED, UNDECIDED, "a"),
            kind(0, DeferReason.UNCLAIMED, UNDECIDED, "b"),
            kind(0, DeferReason.ELSEWHERE, UNDECIDED, "a"),
            kind(0, DeferReason.ELSEWHERE, "mailer", "a"),
            kind(1, DeferReason.UNCLAIMED, UNDECIDED, "order-placed"));
    assertThat(relay().unclaimed(List.of(1), 10)).hasSize(1);
    assertThat(relay().unclaimed(List.of(0), 3)).hasSize(3);
    assertThat(relay().unclaimed(List.of(), 3)).isEmpty();
  }

  @Test
  void rowsThatWaitForSomethingElseAreNotFound() {
    for (DeferReason reason : DeferReason.values()) {
      if (!reason.isUnclaimed()) {
        defer(me, ofType("a"), "mailer", waits(reason));
      }
    }

    assertThat(relay().unclaimed(List.of(0), 10)).isEmpty();
  }

  @Test
  void rowsOfAKindBecomeDuePageByPage() {
    List<Long> seqs = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      seqs.add(unclaimed("a").seq());
    }
    UnclaimedKind kind = kind(0, DeferReason.UNCLAIMED, UNDECIDED, "a");

    OptionalLong first = relay().makeDue(me, kind, Long.MIN_VALUE, 2);
    assertThat(first).hasValue(seqs.get(1));
    assertThat(due(UNDECIDED)).containsExactlyInAnyOrderElementsOf(seqs.subList(0, 2));
    OptionalLong second = relay().makeDue(me, kind, first.getAsLong(), 2);
    assertThat(second).hasValue(seqs.get(3));
    assertThat(relay().makeDue(me, kind, second.getAsLong(), 2)).isEmpty();
    assertThat(due(UNDECIDED)).containsExactlyInAnyOrderElementsOf(seqs);
    assertThat(relay().makeDue(me, kind, seqs.get(4), 2)).isEmpty();
  }

  @Test
  void otherKindsAreLeftAlone() {
    StoredMessage wanted = unclaimed("a");
    unclaimed("b");
    defer(me, ofType("a"), UNDECIDED, waits(DeferReason.ELSEWHERE));
    defer(me, ofType("a"), "mailer", waits(DeferReason.UNCLAIMED));
    defer(me, ofType("a"), UNDECIDED, waiting(HOUR));

    relay().makeDue(me, kind(0, DeferReason.UNCLAIMED, UNDECIDED, "a"), Long.MIN_VALUE, 100);

    assertThat(due(UNDECIDED)).containsExactly(wanted.seq());
    assertThat(due("mailer")).isEmpty();
  }

  @Test
  void rowsKeepEverythingElse() {
    StoredMessage row =
        defer(me, ofType("a"), "mailer", new Fate.Deferred(DeferReason.ELSEWHERE, 3, HOUR, "busy"));
    advance(Duration.ofMinutes(10));

    relay().makeDue(me, kind(0, DeferReason.ELSEWHERE, "mailer", "a"), Long.MIN_VALUE, 100);

    assertThat(due(List.of(0), List.of("mailer"), 10))
        .singleElement()
        .returns(row.seq(), found -> found.message().seq())
        .returns(true, DeferredMessage::inLane)
        .returns(DeferReason.ELSEWHERE, DeferredMessage::reason)
        .returns(3, DeferredMessage::attempts)
        .returns("busy", DeferredMessage::lastError)
        .satisfies(
            found -> assertThat(found.waited()).isBetween(HOUR.dividedBy(6), HOUR.dividedBy(5)));
  }

  @Test
  void anExpelledRelayMakesNothingDue() {
    unclaimed("a");
    RelayIdentity silent = expelled();

    UnclaimedKind kind = kind(0, DeferReason.UNCLAIMED, UNDECIDED, "a");
    assertThat(relay().makeDue(silent, kind, Long.MIN_VALUE, 1)).isEmpty();
    assertThat(due(UNDECIDED)).isEmpty();
  }

  @Test
  void howLongARowHasBeenUnclaimedIsTold() {
    StoredMessage row = defer(me, ofType("a"), UNDECIDED, waits(DeferReason.ELSEWHERE));
    advance(HOUR);
    settleDeferred(me, row, UNDECIDED, waits(DeferReason.UNCLAIMED));
    advance(HOUR);
    settleDeferred(me, row, UNDECIDED, waits(DeferReason.UNCLAIMED));
    advance(HOUR.plus(MOMENT));

    assertThat(due(List.of(0), List.of(UNDECIDED), 10))
        .singleElement()
        .satisfies(
            found ->
                assertThat(found.waited())
                    .isBetween(HOUR.multipliedBy(2), HOUR.multipliedBy(2).plusMinutes(1)));
  }
}
