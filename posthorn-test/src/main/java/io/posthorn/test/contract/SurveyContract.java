/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin.Survey;
import io.posthorn.Admin.Survey.Ready;
import io.posthorn.Admin.Survey.Waiting;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.Settlement.Leftover;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What waits is counted, up to a limit.
 *
 * @since 0.1
 */
public abstract class SurveyContract extends StoreContract {
  private static final String TYPE = "order-placed";
  private static final Duration HOUR = Duration.ofHours(1);
  private static final int MANY = 1_000;

  private RelayIdentity me;

  @BeforeEach
  final void joinFleet() {
    me = join("a");
  }

  private Survey survey(int limit) {
    return database().store().admin().survey(limit);
  }

  private Survey survey() {
    return survey(MANY);
  }

  private static NewMessage typed(String type) {
    return Messages.named(type, Map.of());
  }

  private void bury(int count, String handler) {
    List<StoredMessage> rows = append(Messages.many(count, 0));
    Leftover dead = deadFor(handler);
    relay()
        .settle(me, new Settlement(rows.stream().map(row -> left(row, dead)).toList(), List.of()));
  }

  @Test
  void anEmptyOutboxHasNothingWaiting() {
    Survey survey = survey();

    assertThat(survey.ready()).isEmpty();
    assertThat(survey.deferred()).isEmpty();
    assertThat(survey.dead()).isEmpty();
    assertThat(survey.oldestReady()).isZero();
    assertThat(survey.capped()).isFalse();
  }

  @Test
  void aSurveyTellsWhenItWasTaken() {
    Instant before = storeNow();
    advance(HOUR);

    assertThat(survey().at()).isBetween(before.plus(HOUR), before.plus(HOUR.multipliedBy(2)));
  }

  @Test
  void readyMessagesAreCountedByPartitionAndType() {
    append(Messages.many(3, 5));
    append(Messages.many(2, 0));
    append(List.of(typed("b"), typed("b"), typed("a")));

    assertThat(survey().ready())
        .containsExactly(
            new Ready(0, "a", 1),
            new Ready(0, "b", 2),
            new Ready(0, TYPE, 2),
            new Ready(5, TYPE, 3));
    assertThat(survey().capped()).isFalse();
  }

  @Test
  void whatIsDeliveredIsNotCounted() {
    StoredMessage row = append(Messages.keyless(1));
    append(Messages.keyless(1));
    settleReady(me, row);

    assertThat(survey().ready()).containsExactly(new Ready(1, TYPE, 1));
  }

  @Test
  void theOldestReadyMessageTellsItsAge() {
    append(Messages.keyless(3));
    advance(HOUR);
    append(Messages.keyless(2));
    append(Messages.keyless(3));

    assertThat(survey().oldestReady()).isBetween(HOUR, HOUR.plusMinutes(1));
  }

  @Test
  void whatWaitsOtherwiseHasNoPartInTheOldestAge() {
    defer(me, Messages.keyless(0), "mailer", retrying(1, HOUR, "x"));
    defer(me, Messages.keyless(0), "mailer", new Fate.Dead(1, "x"));
    advance(HOUR);

    assertThat(survey().oldestReady()).isZero();
  }

  @Test
  void deferredMessagesAreCountedByHandlerAndTypeOverAllPartitions() {
    defer(me, Messages.keyed(0, "order-1"), "mailer", retrying(1, HOUR, "x"));
    defer(me, Messages.keyed(0, "order-1"), "mailer", held());
    defer(me, Messages.keyless(7), "mailer", waiting(HOUR));
    defer(me, Messages.keyless(7), "audit", passed(HOUR));
    defer(me, typed("b"), "mailer", retrying(1, HOUR, "x"));
    append(
        new NewMessage(0, Messages.keyless(0).envelope(), new NewMessage.Delay.After(HOUR)),
        List.of());

    assertThat(survey().deferred())
        .containsExactly(
            new Waiting(DeferredMessage.UNDECIDED, TYPE, 1),
            new Waiting("audit", TYPE, 1),
            new Waiting("mailer", "b", 1),
            new Waiting("mailer", TYPE, 3));
    assertThat(survey().ready()).isEmpty();
    assertThat(survey().capped()).isFalse();
  }

  private void append(NewMessage delayed, List<NewMessage> more) {
    database()
        .inTransaction(
            transaction -> {
              database().store().append(transaction, List.of(delayed));
              database().store().append(transaction, more);
            });
  }

  @Test
  void markersAreNotCounted() {
    defer(me, Messages.keyed(0, "order-1"), "mailer", new Fate.Dead(3, "x", true));
    database().store().admin().block(new LaneId(0, "mailer", "order-2"));

    assertThat(rows().deferred()).hasSize(2);
    assertThat(survey().deferred()).isEmpty();
    assertThat(survey().dead()).containsExactly(new Waiting("mailer", TYPE, 1));
  }

  @Test
  void deadLettersAreCountedByHandlerAndType() {
    StoredMessage row = append(Messages.keyless(4));
    settleReady(me, row, deadFor("audit"), deadFor("mailer"));
    settleReady(me, append(Messages.keyless(6)), deadFor("mailer"));
    settleReady(me, append(typed("b")), deadFor("mailer"));

    assertThat(survey().dead())
        .containsExactly(
            new Waiting("audit", TYPE, 1),
            new Waiting("mailer", "b", 1),
            new Waiting("mailer", TYPE, 2));
    assertThat(survey().capped()).isFalse();
  }

  @Test
  void aPartitionsReadyMessagesAreCountedUpToTheLimit() {
    append(Messages.many(11, 0));
    append(Messages.many(9, 1));

    Survey survey = survey(10);

    assertThat(survey.ready()).containsExactly(new Ready(0, TYPE, 10), new Ready(1, TYPE, 9));
    assertThat(survey.capped()).isTrue();
  }

  @Test
  void aHandlersManyDeferredMessagesDoNotHideThoseOfOthers() {
    for (int i = 0; i < 5; i++) {
      defer(me, Messages.keyless(0), "audit", retrying(1, HOUR, "x"));
    }
    defer(me, Messages.keyless(0), "mailer", retrying(1, HOUR, "x"));

    Survey survey = survey(3);

    assertThat(survey.deferred())
        .containsExactly(new Waiting("audit", TYPE, 3), new Waiting("mailer", TYPE, 1));
    assertThat(survey.capped()).isTrue();
  }

  @Test
  void theNewestDeadLettersAreCountedIfThereAreTooMany() {
    bury(partitions(), "old");
    bury(1, "new");

    Survey survey = survey(1);

    assertThat(survey.dead())
        .containsExactly(new Waiting("new", TYPE, 1), new Waiting("old", TYPE, partitions() - 1));
    assertThat(survey.capped()).isTrue();
  }

  @Test
  void onlyInstancesWithAHeartbeatWithinTheLeaseAreAlive() {
    join("b");
    assertThat(survey().instances()).isEqualTo(2);

    advance(LEASE.plus(MOMENT));
    relay().heartbeat(me, "");

    assertThat(survey().instances()).isEqualTo(1);
  }
}
