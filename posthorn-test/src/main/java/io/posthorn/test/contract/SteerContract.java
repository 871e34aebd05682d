/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.AdminStore.Place;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import io.posthorn.spi.FleetSurvey.Pause;
import io.posthorn.spi.FleetSurvey.Paused;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.StoredMessage;
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * People steer deferred messages, lanes and pauses.
 *
 * @since 0.1
 */
public abstract class SteerContract extends StoreContract {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final LaneId LANE = new LaneId(0, "mailer", "order-1");
  private static final LaneId NEIGHBOUR = new LaneId(0, "mailer", "order-2");

  private RelayIdentity me;

  @BeforeEach
  final void joinFleet() {
    me = join("a");
  }

  private AdminStore admin() {
    return database().store().admin();
  }

  private StoredMessage put(LaneId lane, Fate fate) {
    return defer(me, Messages.keyed(lane.partition(), lane.key()), lane.handler(), fate);
  }

  private static EntryId id(StoredMessage row) {
    return new EntryId(row.partition(), row.seq(), "mailer");
  }

  private List<LaneId> due() {
    return dueLanes(List.of(0, 1, 2), List.of("mailer"), 100);
  }

  private List<Long> seqs(LaneId lane) {
    return lane(lane).stream().map(row -> row.message().seq()).toList();
  }

  private List<EntryId> found(Filter filter) {
    List<EntryId> ids =
        admin().deferred(filter, null, 100).entries().stream().map(DeferredEntry::id).toList();
    assertThat(admin().countDeferred(filter, null).matches()).isEqualTo(ids.size());
    return ids;
  }

  // --- see

  @Test
  void aDeferredMessageTellsEverythingAboutItself() {
    Instant before = storeNow();
    StoredMessage row = put(LANE, retrying(4, HOUR, "busy"));

    DeferredEntry entry = admin().deferred(id(row)).orElseThrow();

    assertThat(entry.message().envelope()).usingRecursiveComparison().isEqualTo(row.envelope());
    assertThat(entry.reason()).isEqualTo(DeferReason.RETRYING);
    assertThat(entry.attempts()).isEqualTo(4);
    assertThat(entry.lastError()).isEqualTo("busy");
    assertThat(entry.dueAt()).isBetween(before.plus(HOUR), before.plus(HOUR).plus(HOUR));
    assertThat(entry.deferredAt()).isBetween(before, before.plus(HOUR));
    assertThat(admin().deferred(new EntryId(0, row.seq(), "audit"))).isEmpty();
  }

  @Test
  void aDeferredMessageKeepsItsTimeWhenItFailsAgain() {
    StoredMessage row = put(LANE, retrying(1, HOUR, "busy"));
    Instant since = admin().deferred(id(row)).orElseThrow().deferredAt();
    advance(HOUR);
    settleDeferred(me, row, "mailer", retrying(2, HOUR, "busy"));

    assertThat(admin().deferred(id(row)).orElseThrow().deferredAt()).isEqualTo(since);
  }

  @Test
  void eachFilterFindsItsOwn() {
    StoredMessage retried = put(LANE, retrying(1, HOUR, "busy"));
    StoredMessage held = put(LANE, held());
    StoredMessage keyless = defer(me, Messages.keyless(1), "audit", waiting(HOUR));

    assertThat(found(Filter.all())).hasSize(3);
    assertThat(found(Filter.all().reason(DeferReason.HELD))).containsExactly(id(held));
    assertThat(found(Filter.all().handler("audit")))
        .containsExactly(new EntryId(1, keyless.seq(), "audit"));
    assertThat(found(Filter.all().key("order-1"))).containsExactly(id(retried), id(held));
    assertThat(found(Filter.all().errorContains("us"))).containsExactly(id(retried));
    assertThat(found(Filter.all().messageId(held.envelope().id()))).containsExactly(id(held));
    assertThat(found(Filter.all().to(Messages.OCCURRED_AT.minus(HOUR)))).isEmpty();
  }

  @Test
  void pagesMeetEveryDeferredMessageOnce() {
    List<EntryId> all = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      all.add(id(put(new LaneId(i % 3, "mailer", "k"), held())));
    }
    List<EntryId> met = new ArrayList<>();
    Place last = null;
    List<DeferredEntry> page = admin().deferred(Filter.all(), last, 5).entries();
    while (!page.isEmpty()) {
      page.forEach(entry -> met.add(entry.id()));
      last = new Place(met.get(met.size() - 1), null);
      page = admin().deferred(Filter.all(), last, 5).entries();
    }
    assertThat(met).containsExactlyInAnyOrderElementsOf(all);
    assertThat(met).extracting(EntryId::partition).isSorted();
  }

  // --- single messages

  @Test
  void whatIsToRunNowIsDueAndNothingElseChanges() {
    StoredMessage keyed = put(LANE, retrying(2, HOUR, "busy"));
    StoredMessage keyless = defer(me, Messages.keyless(1), "mailer", retrying(2, HOUR, "busy"));
    assertThat(due()).isEmpty();

    assertThat(admin().runNow(List.of(id(keyed), id(keyless), new EntryId(0, 99, "x"))))
        .containsExactlyInAnyOrder(id(keyed), id(keyless));

    assertThat(due()).containsExactly(LANE);
    assertThat(due(List.of(1), List.of("mailer"), 10))
        .extracting(DeferredMessage::attempts, DeferredMessage::reason)
        .containsExactly(org.assertj.core.groups.Tuple.tuple(2, DeferReason.RETRYING));
  }

  @Test
  void whatIsToRunNowStaysBehindTheHeadOfItsLane() {
    StoredMessage head = put(LANE, retrying(1, HOUR, "busy"));
    StoredMessage behind = put(LANE, held());

    admin().runNow(List.of(id(behind)));

    assertThat(seqs(LANE)).containsExactly(head.seq(), behind.seq());
    assertThat(due()).isEmpty();
  }

  @Test
  void aCancelledMessageIsGoneAndItsLaneGoesOn() {
    StoredMessage head = put(LANE, retrying(1, HOUR, "busy"));
    StoredMessage behind = put(LANE, held());
    assertThat(due()).isEmpty();

    assertThat(admin().cancel(List.of(id(head)))).containsExactly(id(head));
    assertThat(admin().cancel(List.of(id(head)))).isEmpty();

    assertThat(seqs(LANE)).containsExactly(behind.seq());
    assertThat(due()).containsExactly(LANE);
    assertThat(rows().dead()).isEmpty();
  }

  @Test
  void aHeadWithATimeOfItsOwnKeepsIt() {
    StoredMessage head = put(LANE, retrying(1, HOUR, "busy"));
    put(LANE, retrying(1, HOUR.multipliedBy(2), "busy"));

    admin().cancel(List.of(id(head)));

    assertThat(due()).isEmpty();
    assertThat(lane(LANE).get(0).dueIn()).isGreaterThan(HOUR);
  }

  @Test
  void markersAreNeitherRunNorCancelled() {
    StoredMessage row = put(LANE, new Fate.Dead(1, "refused", true));

    assertThat(admin().runNow(List.of(id(row)))).isEmpty();
    assertThat(admin().cancel(List.of(id(row)))).isEmpty();

    assertThat(seqs(LANE)).hasSize(1);
    assertThat(due()).isEmpty();
  }

  @Test
  void skippedMessagesAreDeadLettersAndTheirLanesGoOn() {
    StoredMessage head = put(LANE, retrying(3, HOUR, "busy"));
    StoredMessage second = put(LANE, held());
    StoredMessage third = put(LANE, held());
    StoredMessage other = put(NEIGHBOUR, retrying(1, HOUR, "away"));

    assertThat(
            admin()
                .skip(List.of(id(head), id(second), id(append(Messages.keyless(1)))), "given up"))
        .containsExactly(id(head), id(second));

    assertThat(rows().dead())
        .containsExactlyInAnyOrder(
            new StoredRows.Dead(0, head.seq(), "order-placed", "order-1", "mailer", 3, "busy"),
            new StoredRows.Dead(
                0, second.seq(), "order-placed", "order-1", "mailer", 0, "given up"));
    assertThat(seqs(LANE)).containsExactly(third.seq());
    assertThat(due()).containsExactly(LANE);
    assertThat(seqs(NEIGHBOUR)).containsExactly(other.seq());
  }

  @Test
  void aSkippedMessageCanBeRetried() {
    StoredMessage head = put(LANE, retrying(3, HOUR, "busy"));
    StoredMessage second = put(LANE, held());
    admin().skip(List.of(id(head)), "given up");

    assertThat(admin().retry(List.of(id(head)))).containsExactly(id(head));

    assertThat(rows().dead()).isEmpty();
    assertThat(seqs(LANE)).containsExactly(head.seq(), second.seq());
  }

  @Test
  void markersAreNotSkipped() {
    StoredMessage row = put(LANE, new Fate.Dead(1, "refused", true));

    assertThat(admin().skip(List.of(id(row)), "given up")).isEmpty();

    assertThat(seqs(LANE)).hasSize(1);
    assertThat(rows().dead()).extracting(StoredRows.Dead::error).containsExactly("refused");
  }

  // --- lanes

  @Test
  void theSkippedHeadIsADeadLetterAndTheLaneGoesOn() {
    put(NEIGHBOUR, retrying(1, HOUR, "busy"));
    StoredMessage head = put(LANE, retrying(3, HOUR, "busy"));
    StoredMessage second = put(LANE, held());

    assertThat(admin().skipHead(LANE, "skipped by hand")).contains(id(head));

    assertThat(rows().dead())
        .containsExactly(
            new StoredRows.Dead(
                0, head.seq(), "order-placed", "order-1", "mailer", 3, "skipped by hand"));
    assertThat(seqs(LANE)).containsExactly(second.seq());
    assertThat(due()).containsExactly(LANE);
  }

  @Test
  void aSkippedMarkerIsRemovedAndItsLetterStays() {
    put(LANE, new Fate.Dead(1, "refused", true));
    StoredMessage second = put(LANE, held());

    assertThat(admin().skipHead(LANE, "skipped by hand")).isPresent();

    assertThat(rows().dead()).extracting(StoredRows.Dead::error).containsExactly("refused");
    assertThat(seqs(LANE)).containsExactly(second.seq());
    assertThat(due()).containsExactly(LANE);
    assertThat(admin().skipHead(NEIGHBOUR, "skipped by hand")).isEqualTo(Optional.empty());
  }

  @Test
  void aLaneIsBlockedByHandBeforeEverythingInIt() {
    StoredMessage waits = put(LANE, retrying(1, Duration.ZERO, "busy"));

    assertThat(admin().block(LANE)).isTrue();
    assertThat(admin().block(LANE)).isFalse();

    assertThat(seqs(LANE)).hasSize(2).last().isEqualTo(waits.seq());
    DeferredMessage head = lane(LANE).get(0);
    assertThat(head.reason()).isEqualTo(DeferReason.BLOCKED);
    assertThat(head.message().seq()).isNegative();
    advance(Duration.ofDays(10_000));
    assertThat(due()).as("nothing of the lane is due").isEmpty();
  }

  @Test
  void severalLanesOfAPartitionAreBlockedByHand() {
    LaneId otherHandler = new LaneId(0, "audit", "order-1");

    assertThat(admin().block(LANE)).isTrue();
    assertThat(admin().block(NEIGHBOUR)).isTrue();
    assertThat(admin().block(otherHandler)).isTrue();

    assertThat(found(Filter.all().reason(DeferReason.BLOCKED))).hasSize(3);
    assertThat(relay().deferredHandlers(List.of(0)).get(0)).containsExactly("audit", "mailer");
    put(new LaneId(0, "mailer", "order-3"), new Fate.Dead(1, "refused", true));
    assertThat(relay().lanesBlockedByHand(List.of(0, 1), List.of("mailer"), 10))
        .containsExactlyInAnyOrder(LANE, NEIGHBOUR);
    assertThat(relay().lanesBlockedByHand(List.of(0), List.of("audit", "mailer"), 2))
        .hasSizeBetween(2, 3);
    assertThat(relay().lanesBlockedByHand(List.of(1), List.of("mailer"), 10)).isEmpty();
    assertThat(admin().unblock(NEIGHBOUR)).isEqualTo(1);
    assertThat(seqs(LANE)).hasSize(1);
    assertThat(seqs(NEIGHBOUR)).isEmpty();
    assertThat(seqs(otherHandler)).hasSize(1);
  }

  @Test
  void unblockingRemovesAllMarkersOfTheLaneAndMakesItsHeadDue() {
    put(LANE, new Fate.Dead(1, "refused", true));
    put(LANE, new Fate.Dead(1, "refused", true));
    StoredMessage behind = put(LANE, held());
    StoredMessage last = put(LANE, held());
    put(NEIGHBOUR, new Fate.Dead(1, "refused", true));
    admin().block(LANE);
    assertThat(due()).isEmpty();

    assertThat(admin().unblock(LANE)).isEqualTo(3);
    assertThat(admin().unblock(LANE)).isZero();

    assertThat(seqs(LANE)).containsExactly(behind.seq(), last.seq());
    assertThat(due()).containsExactly(LANE);
    assertThat(seqs(NEIGHBOUR)).hasSize(1);
    assertThat(rows().dead()).hasSize(3);
  }

  // --- pauses

  @Test
  void pausesAreSeenByEverySurveyUntilTheyAreTakenBack() {
    Instant before = storeNow();
    assertThat(relay().survey().pauses()).isEmpty();

    assertThat(admin().pause(Paused.HANDLER, "mailer")).isTrue();
    assertThat(admin().pause(Paused.HANDLER, "mailer")).isFalse();
    assertThat(admin().pause(Paused.PARTITION, "3")).isTrue();
    assertThat(admin().pause(Paused.PARTITION, "mailer")).isTrue();

    assertThat(admin().pauses())
        .extracting(pause -> pause.kind() + " " + pause.name())
        .containsExactly("HANDLER mailer", "PARTITION 3", "PARTITION mailer");
    assertThat(relay().survey().pauses()).containsExactlyInAnyOrderElementsOf(admin().pauses());
    assertThat(admin().pauses()).extracting(Pause::since).allMatch(time -> !time.isBefore(before));

    assertThat(admin().resume(Paused.HANDLER, "mailer")).isTrue();
    assertThat(admin().resume(Paused.HANDLER, "mailer")).isFalse();
    assertThat(relay().survey().pauses()).hasSize(2);
  }
}
