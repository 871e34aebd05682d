/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.AdminStore.Place;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.Settlement.Leftover;
import io.posthorn.spi.StoredMessage;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * People find dead letters, and retry or remove them.
 *
 * @since 0.1
 */
public abstract class AdminContract extends StoreContract {
  private static final Duration HOUR = Duration.ofHours(1);

  private RelayIdentity me;

  @BeforeEach
  final void joinFleet() {
    me = join("a");
  }

  private AdminStore admin() {
    return database().store().admin();
  }

  private StoredMessage bury(NewMessage message, String handler, String error) {
    return defer(me, message, handler, new Fate.Dead(3, error));
  }

  private StoredMessage buryAndBlock(NewMessage message) {
    return defer(me, message, "mailer", new Fate.Dead(3, "refused", true));
  }

  private static EntryId id(StoredMessage row, String handler) {
    return new EntryId(row.partition(), row.seq(), handler);
  }

  private List<EntryId> found(Filter filter) {
    List<EntryId> ids =
        admin().deadLetters(filter, null, 100).entries().stream().map(DeadLetter::id).toList();
    assertThat(admin().countDeadLetters(filter, null).matches()).isEqualTo(ids.size());
    return ids;
  }

  // --- see

  @Test
  void aDeadLetterTellsEverythingAboutItself() {
    Instant before = storeNow();
    NewMessage full =
        Messages.full(2, "größe", Messages.OCCURRED_AT, Messages.OCCURRED_AT.plus(HOUR));
    StoredMessage row = bury(full, "mailer", "no route");

    DeadLetter letter = admin().deadLetter(id(row, "mailer")).orElseThrow();

    assertThat(letter.message().envelope()).usingRecursiveComparison().isEqualTo(row.envelope());
    assertThat(letter.message().createdAt()).isEqualTo(row.createdAt());
    assertThat(letter.id()).isEqualTo(id(row, "mailer"));
    assertThat(letter.attempts()).isEqualTo(3);
    assertThat(letter.error()).isEqualTo("no route");
    assertThat(letter.diedAt()).isBetween(before, before.plus(HOUR));
  }

  @Test
  void aListLeavesThePayloadsOut() {
    StoredMessage row = bury(Messages.keyed(0, "order-1"), "mailer", "no route");
    assertThat(row.envelope().payload()).isNotNull();

    DeadLetter letter = admin().deadLetters(Filter.all(), null, 1).entries().get(0);

    assertThat(letter.message().envelope().payload()).isNull();
    assertThat(letter.messageId()).isEqualTo(row.envelope().id());
    assertThat(letter.type()).isEqualTo("order-placed");
    assertThat(letter.key()).isEqualTo("order-1");
  }

  @Test
  void whatIsNotThereIsNotFound() {
    StoredMessage row = bury(Messages.keyed(0, "order-1"), "mailer", "no route");

    assertThat(admin().deadLetter(new EntryId(0, row.seq(), "audit"))).isEmpty();
    assertThat(admin().deadLetter(new EntryId(1, row.seq(), "mailer"))).isEmpty();
    assertThat(admin().deadLetter(new EntryId(0, row.seq() + 1, "mailer"))).isEmpty();
  }

  @Test
  void eachFilterFindsItsOwn() {
    NewMessage special =
        Messages.full(1, "x", Messages.OCCURRED_AT, Instant.parse("2999-01-01T00:00:00Z"));
    StoredMessage a = bury(special, "mailer", "100% of a_b!");
    StoredMessage b = bury(Messages.keyed(0, "order-1"), "audit", "100 percent of aXb");
    bury(Messages.keyless(0), "search", "other");
    EntryId first = id(a, "mailer");
    EntryId second = id(b, "audit");

    assertThat(found(Filter.all())).hasSize(3);
    assertThat(found(Filter.all().handler("audit"))).containsExactly(second);
    assertThat(found(Filter.all().key("order-1"))).containsExactly(second);
    assertThat(found(Filter.all().tenant("tenant x"))).containsExactly(first);
    assertThat(found(Filter.all().type("order-placed"))).hasSize(3);
    assertThat(found(Filter.all().type("order"))).isEmpty();
    assertThat(found(Filter.all().messageId(b.envelope().id()))).containsExactly(second);
    assertThat(found(Filter.all().errorContains("100%"))).containsExactly(first);
    assertThat(found(Filter.all().errorContains("a_b!"))).containsExactly(first);
    assertThat(found(Filter.all().errorContains("PERCENT"))).isEmpty();
    assertThat(found(Filter.all().errorContains("100").handler("mailer"))).containsExactly(first);
  }

  @Test
  void aFilterOfTimesIsOpenAtItsEnd() {
    StoredMessage early = bury(Messages.keyless(0), "mailer", "x");
    Instant died = admin().deadLetter(id(early, "mailer")).orElseThrow().diedAt();
    advance(HOUR);
    StoredMessage late = bury(Messages.keyless(0), "mailer", "x");

    assertThat(found(Filter.all().from(died))).hasSize(2);
    assertThat(found(Filter.all().from(died.plus(MOMENT)))).containsExactly(id(late, "mailer"));
    assertThat(found(Filter.all().to(died))).isEmpty();
    assertThat(found(Filter.all().from(died).to(died.plus(MOMENT))))
        .containsExactly(id(early, "mailer"));
    assertThat(admin().now()).isAfterOrEqualTo(died.plus(HOUR));
  }

  @Test
  void pagesMeetEveryLetterOnceAlsoWhereSeqsAreTheSame() {
    List<EntryId> all = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      StoredMessage row = append(Messages.keyless(i % 3));
      settleReady(me, row, deadFor("audit"), deadFor("mailer"), deadFor("search"));
      List.of("audit", "mailer", "search").forEach(handler -> all.add(id(row, handler)));
    }
    for (int limit : new int[] {1, 2, 4, 21, 100}) {
      List<EntryId> met = new ArrayList<>();
      List<DeadLetter> page = admin().deadLetters(Filter.all(), null, limit).entries();
      while (!page.isEmpty()) {
        assertThat(page).hasSizeLessThanOrEqualTo(limit);
        page.forEach(letter -> met.add(letter.id()));
        Place last = new Place(met.get(met.size() - 1), null);
        page = admin().deadLetters(Filter.all(), last, limit).entries();
      }
      assertThat(met).as("in pages of %d", limit).containsExactlyElementsOf(all);
    }
  }

  // --- retry

  @Test
  void aRetriedLetterIsDueAtOnceWithNoAttemptsAndItsOldSeq() {
    StoredMessage row = bury(Messages.keyed(2, "order-1"), "mailer", "no route");

    assertThat(admin().retry(List.of(id(row, "mailer")))).containsExactly(id(row, "mailer"));

    StoreAssert.assertThat(rows()).hasDeadLetters(0);
    assertThat(rows().deferred())
        .containsExactly(
            new StoredRows.Deferred(
                2, row.seq(), "order-placed", "order-1", "mailer", "RETRYING", 0, "no route"));
    LaneId lane = new LaneId(2, "mailer", "order-1");
    assertThat(dueLanes(List.of(2), List.of("mailer"), 10)).containsExactly(lane);
    DeferredMessage again = due(List.of(2), List.of("mailer"), 1).get(0);
    assertThat(again.message().envelope()).usingRecursiveComparison().isEqualTo(row.envelope());
    assertThat(again.message().createdAt()).isEqualTo(row.createdAt());
  }

  @Test
  void aRetriedLetterWithoutAKeyOrAHandlerIsFoundByItsTime() {
    StoredMessage keyless = bury(Messages.keyless(0), "mailer", "x");
    StoredMessage undecided = bury(Messages.keyed(0, "order-1"), DeferredMessage.UNDECIDED, "x");

    admin().retry(List.of(id(keyless, "mailer"), id(undecided, DeferredMessage.UNDECIDED)));

    assertThat(due(List.of(0), List.of("mailer", DeferredMessage.UNDECIDED), 10))
        .extracting(row -> row.message().seq())
        .containsExactlyInAnyOrder(keyless.seq(), undecided.seq());
  }

  @Test
  void aRetriedLetterGoesBeforeWhatWaitsInItsLane() {
    StoredMessage first = bury(Messages.keyed(0, "order-1"), "mailer", "x");
    StoredMessage second = defer(me, Messages.keyed(0, "order-1"), "mailer", held());

    admin().retry(List.of(id(first, "mailer")));

    assertThat(lane(new LaneId(0, "mailer", "order-1")))
        .extracting(row -> row.message().seq())
        .containsExactly(first.seq(), second.seq());
  }

  @Test
  void aRetriedLetterTakesThePlaceOfItsMarker() {
    StoredMessage row = buryAndBlock(Messages.keyed(0, "order-1"));
    assertThat(rows().deferred())
        .extracting(StoredRows.Deferred::reason)
        .containsExactly("BLOCKED");

    assertThat(admin().retry(List.of(id(row, "mailer")))).hasSize(1);

    assertThat(rows().deferred())
        .extracting(StoredRows.Deferred::reason)
        .containsExactly(DeferReason.RETRYING.name());
    assertThat(dueLanes(List.of(0), List.of("mailer"), 10)).hasSize(1);
  }

  @Test
  void onlyWhatIsThereIsRetried() {
    StoredMessage row = append(Messages.keyless(0));
    settleReady(me, row, deadFor("audit"), deadFor("mailer"));
    EntryId wanted = id(row, "mailer");

    assertThat(admin().retry(List.of(wanted, id(row, "search"), new EntryId(0, 99, "x"))))
        .containsExactly(wanted);
    assertThat(admin().retry(List.of(wanted))).isEmpty();
    assertThat(admin().retry(List.of())).isEmpty();

    assertThat(rows().dead()).extracting(StoredRows.Dead::handler).containsExactly("audit");
    assertThat(rows().deferred()).hasSize(1);
  }

  @Test
  void hundredsAreRetriedTogether() {
    List<StoredMessage> rows = append(Messages.many(AdminStore.MOST_IDS, 0));
    relay()
        .settle(
            me,
            new Settlement(rows.stream().map(row -> left(row, deadFor("m"))).toList(), List.of()));

    List<EntryId> retried = admin().retry(rows.stream().map(row -> id(row, "m")).toList());

    assertThat(retried).hasSize(AdminStore.MOST_IDS);
    assertThat(rows().deferred()).hasSize(AdminStore.MOST_IDS);
    StoreAssert.assertThat(rows()).hasDeadLetters(0);
  }

  @Test
  void aLetterThatDiesAgainCanBeFoundAndRetriedAgain() {
    StoredMessage row = bury(Messages.keyed(0, "order-1"), "mailer", "x");
    admin().retry(List.of(id(row, "mailer")));
    settleDeferred(me, row, "mailer", new Fate.Dead(1, "y"));

    assertThat(found(Filter.all().errorContains("y"))).containsExactly(id(row, "mailer"));
    assertThat(admin().retry(List.of(id(row, "mailer")))).hasSize(1);
  }

  @Test
  void aDeliveryThatEndsAfterItsRowIsGoneChangesNothing() {
    StoredMessage row = defer(me, Messages.keyed(0, "order-1"), "mailer", held());
    admin().cancel(List.of(id(row, "mailer")));

    settleDeferred(me, row, "mailer", new Fate.Dead(1, "late"));
    settleDeferred(me, row, "mailer", retrying(2, HOUR, "late"));
    settleDeferred(me, row, "mailer", Fate.KEPT);

    StoreAssert.assertThat(rows()).hasNoMessages();
    assertThat(admin().countHistory(Filter.all(), null).matches()).isZero();
  }

  // --- remove, edit

  @Test
  void aRemovedLetterIsGoneForItsHandlerOnly() {
    StoredMessage row = append(Messages.keyless(0));
    settleReady(me, row, deadFor("audit"), deadFor("mailer"));

    assertThat(admin().remove(List.of(id(row, "mailer")), null)).hasSize(1);
    assertThat(admin().remove(List.of(id(row, "mailer")), null)).isEmpty();

    assertThat(rows().dead()).extracting(StoredRows.Dead::handler).containsExactly("audit");
    assertThat(admin().countHistory(Filter.all(), null).matches()).isZero();
  }

  @Test
  void aLaneGoesOnWhenTheLetterThatBlockedItIsRemoved() {
    StoredMessage row = buryAndBlock(Messages.keyed(0, "order-1"));
    StoredMessage behind = defer(me, Messages.keyed(0, "order-1"), "mailer", held());
    StoredMessage elsewhere = buryAndBlock(Messages.keyed(0, "order-2"));
    assertThat(dueLanes(List.of(0), List.of("mailer"), 10)).isEmpty();

    admin().remove(List.of(id(row, "mailer")), null);

    assertThat(rows().deferred())
        .extracting(StoredRows.Deferred::seq)
        .containsExactlyInAnyOrder(behind.seq(), elsewhere.seq());
    assertThat(dueLanes(List.of(0), List.of("mailer"), 10))
        .containsExactly(new LaneId(0, "mailer", "order-1"));
  }

  @Test
  void headersCanBeReplacedBeforeARetry() {
    StoredMessage row = bury(Messages.keyed(0, "order-1"), "mailer", "x");
    StoredMessage other = bury(Messages.keyed(0, "order-2"), "mailer", "x");
    Map<String, String> headers = Map.of("trace", "abc \"ü\"", "empty", "");

    assertThat(admin().setHeaders(id(row, "mailer"), headers)).isTrue();
    assertThat(admin().setHeaders(id(row, "audit"), headers)).isFalse();
    admin().retry(List.of(id(row, "mailer"), id(other, "mailer")));

    assertThat(due(List.of(0), List.of("mailer"), 10))
        .extracting(again -> again.message().envelope().headers())
        .containsExactlyInAnyOrder(headers, Map.of());
  }

  @Test
  void headersOfManyLettersAreEditedTogether() {
    StoredMessage first = defer(me, Messages.keyed(0, "a"), "mailer", new Fate.Dead(1, "x"));
    StoredMessage second = defer(me, Messages.keyed(1, "b"), "mailer", new Fate.Dead(1, "x"));
    StoredMessage third = defer(me, Messages.keyed(1, "c"), "mailer", new Fate.Dead(1, "x"));
    List<EntryId> ids =
        Stream.of(first, second, third)
            .map(row -> new EntryId(row.partition(), row.seq(), "mailer"))
            .toList();
    admin().setHeaders(ids.get(0), Map.of("kept", "größe", "old", "1"));
    admin().setHeaders(ids.get(1), Map.of());
    admin().setHeaders(ids.get(2), Map.of("untouched", "1"));
    List<EntryId> wanted = new ArrayList<>(ids);
    wanted.add(new EntryId(0, 4_711, "mailer"));

    List<EntryId> edited =
        admin()
            .editHeaders(
                wanted,
                was -> {
                  Map<String, String> headers = new HashMap<>(was);
                  headers.remove("old");
                  headers.put("new", "2");
                  return was.containsKey("untouched") ? null : headers;
                });

    assertThat(edited).containsExactlyInAnyOrder(ids.get(0), ids.get(1));
    assertThat(ids)
        .extracting(id -> admin().deadLetter(id).orElseThrow().message().envelope().headers())
        .containsExactly(
            Map.of("kept", "größe", "new", "2"), Map.of("new", "2"), Map.of("untouched", "1"));
    assertThat(admin().deadLetter(ids.get(0)).orElseThrow().message().envelope().payload())
        .isEqualTo(first.envelope().payload());
  }

  @Test
  void headersCanBeRemoved() {
    StoredMessage row = bury(Messages.named("x", Map.of("trace", "abc")), "mailer", "x");

    admin().setHeaders(id(row, "mailer"), Map.of());

    assertThat(admin().deadLetter(id(row, "mailer")).orElseThrow().message().envelope().headers())
        .isEmpty();
  }

  @Test
  void aLetterIsInOnePlaceWhenTwoRetryItAtOnce() throws Exception {
    for (int round = 0; round < 20; round++) {
      StoredMessage row = append(Messages.keyed(0, "order-1"));
      settleReady(me, row, new Leftover("mailer", new Fate.Dead(1, "x")));
      EntryId id = id(row, "mailer");
      List<Integer> moved = new ArrayList<>();
      Thread other = new Thread(() -> moved.add(admin().retry(List.of(id)).size()));
      other.start();
      int mine = admin().retry(List.of(id)).size();
      other.join();
      assertThat(mine + moved.get(0)).isEqualTo(1);
    }
    assertThat(rows().deferred()).hasSize(20);
  }
}
