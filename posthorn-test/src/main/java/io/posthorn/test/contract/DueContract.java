/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Deferred rows that have no lane are found when they are due.
 *
 * @since 0.1
 */
public abstract class DueContract extends StoreContract {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final String UNDECIDED = DeferredMessage.UNDECIDED;

  private RelayIdentity me;

  @BeforeEach
  final void joinFleet() {
    me = join("a");
  }

  private List<Long> due(Collection<Integer> partitions, Collection<String> handlers, int limit) {
    return relay().readDue(partitions, handlers, limit).stream()
        .map(row -> row.message().seq())
        .toList();
  }

  private List<Long> due() {
    return due(List.of(0), List.of("mailer", UNDECIDED), 10);
  }

  @Test
  void rowWithoutAKeyIsFoundOnceItIsDue() {
    StoredMessage row = defer(me, Messages.keyless(0), "mailer", retrying(2, HOUR, "busy"));

    assertThat(due()).isEmpty();
    advance(HOUR.plus(MOMENT));
    assertThat(due()).containsExactly(row.seq());
    assertThat(relay().readDue(List.of(0), List.of("mailer"), 10))
        .singleElement()
        .returns("mailer", DeferredMessage::handler)
        .returns(DeferReason.RETRYING, DeferredMessage::reason)
        .returns(2, DeferredMessage::attempts)
        .returns("busy", DeferredMessage::lastError)
        .matches(found -> found.dueIn().compareTo(Duration.ZERO) <= 0, "is due");
  }

  @Test
  void howLongARowHasWaitedIsToldThroughAllItsChanges() {
    StoredMessage row = defer(me, Messages.keyless(0), UNDECIDED, waiting(null));
    advance(HOUR);
    settleDeferred(me, row, UNDECIDED, waiting(Duration.ofMinutes(1)));
    advance(HOUR);

    assertThat(relay().readDue(List.of(0), List.of(UNDECIDED), 10))
        .singleElement()
        .satisfies(
            found ->
                assertThat(found.waited())
                    .isBetween(HOUR.multipliedBy(2), HOUR.multipliedBy(2).plusMinutes(1)));
  }

  @Test
  void rowWithoutAKeyOrATimeIsDueAtOnce() {
    StoredMessage row = defer(me, Messages.keyless(0), "mailer", held());

    assertThat(due()).containsExactly(row.seq());
  }

  @Test
  void rowWithoutAKeyThatLosesItsTimeIsDueAtOnce() {
    StoredMessage row = defer(me, Messages.keyless(0), "mailer", retrying(1, HOUR, "busy"));

    settleDeferred(me, row, "mailer", waiting(null));

    assertThat(due()).containsExactly(row.seq());
  }

  @Test
  void rowThatFailsAgainIsDueAtItsNewTime() {
    StoredMessage row = defer(me, Messages.keyless(0), "mailer", retrying(1, HOUR, "busy"));
    advance(HOUR.plus(MOMENT));

    settleDeferred(me, row, "mailer", retrying(2, HOUR, "busy"));

    assertThat(due()).isEmpty();
    advance(HOUR.plus(MOMENT));
    assertThat(due()).containsExactly(row.seq());
  }

  @Test
  void undecidedRowIsFoundWithAndWithoutAKey() {
    StoredMessage keyed = defer(me, Messages.keyed(0, "order-1"), UNDECIDED, waiting(HOUR));
    StoredMessage keyless = defer(me, Messages.keyless(0), UNDECIDED, waiting(HOUR));

    assertThat(due()).isEmpty();
    advance(HOUR.plus(MOMENT));
    assertThat(due()).containsExactly(keyed.seq(), keyless.seq());
  }

  @Test
  void undecidedRowWithoutATimeIsDueAtOnce() {
    StoredMessage row = defer(me, Messages.keyed(0, "order-1"), UNDECIDED, waiting(null));
    assertThat(due()).containsExactly(row.seq());

    settleDeferred(me, row, UNDECIDED, waiting(HOUR));
    assertThat(due()).isEmpty();

    settleDeferred(me, row, UNDECIDED, waiting(null));
    assertThat(due()).containsExactly(row.seq());
  }

  @Test
  void rowsOfLanesAreLeftToTheirLane() {
    defer(me, Messages.keyed(0, "order-1"), "mailer", retrying(1, Duration.ZERO, "busy"));
    defer(me, Messages.keyed(0, "order-1"), "mailer", held());
    advance(HOUR);

    assertThat(due()).isEmpty();
  }

  @Test
  void onlyRowsOfTheHandlersThatAreAskedForAreFound() {
    StoredMessage mail = defer(me, Messages.keyless(0), "mailer", held());
    StoredMessage audit = defer(me, Messages.keyless(0), "audit", held());
    defer(me, Messages.keyless(0), UNDECIDED, waiting(null));

    assertThat(due(List.of(0), List.of("audit"), 10)).containsExactly(audit.seq());
    assertThat(due(List.of(0), List.of("audit", "mailer"), 10))
        .containsExactlyInAnyOrder(mail.seq(), audit.seq());
    assertThat(due(List.of(0), List.of(), 10)).isEmpty();
  }

  @Test
  void onlyRowsOfThePartitionsThatAreAskedForAreFound() {
    defer(me, Messages.keyless(0), "mailer", held());
    StoredMessage row = defer(me, Messages.keyless(6), "mailer", held());

    assertThat(due(List.of(5, 6), List.of("mailer"), 10)).containsExactly(row.seq());
    assertThat(due(List.of(), List.of("mailer"), 10)).isEmpty();
  }

  @Test
  void rowThatWasDueFirstIsFoundFirst() {
    StoredMessage third = defer(me, Messages.keyless(0), "mailer", waiting(HOUR.multipliedBy(3)));
    StoredMessage first = defer(me, Messages.keyless(1), "mailer", waiting(HOUR));
    StoredMessage second = defer(me, Messages.keyless(0), "audit", waiting(HOUR.multipliedBy(2)));
    advance(HOUR.multipliedBy(4));

    assertThat(due(List.of(0, 1), List.of("mailer", "audit"), 10))
        .containsExactly(first.seq(), second.seq(), third.seq());
    assertThat(due(List.of(0, 1), List.of("mailer", "audit"), 2))
        .containsExactly(first.seq(), second.seq());
  }

  @Test
  void rowThatIsNotDueDoesNotHideOneThatIs() {
    defer(me, Messages.keyless(0), "mailer", waiting(HOUR));
    StoredMessage row = defer(me, Messages.keyless(0), "mailer", waiting(Duration.ZERO));

    assertThat(due(List.of(0), List.of("mailer"), 1)).containsExactly(row.seq());
  }
}
