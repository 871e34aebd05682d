/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin;
import io.posthorn.Admin.Filter;
import io.posthorn.HandlerSpec;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.spi.DeferReason;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** People steer messages while a relay is at work. */
class AdminDbTest extends AdminScene {
  @Test
  void aRetriedDeadLetterIsDelivered() throws Exception {
    SteppedRelay relay = relay("a", AdminScene::givingUp, any -> {});
    fail("keyed");
    fail("keyless");
    publish("k", "keyed");
    publish(null, "keyless");
    relay.drain();
    StoreAssert.assertThat(database.rows()).hasDeadLetters(2);
    failures.clear();

    assertThat(admin().deadLetters().retry(deadLetters())).isEqualTo(2);
    poll(relay);

    assertThat(got).containsExactlyInAnyOrder("keyed", "keyless");
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void aRetriedLetterGoesBeforeWhatWaitsAndAfterWhatHasPassed() throws Exception {
    SteppedRelay relay = relay("a", AdminScene::patient, any -> {});
    fail("1");
    publish("k", "1");
    relay.drain();
    relay.posthorn().admin().lanes().skipHead(HANDLER, "k");
    relay.drain();
    publish("k", "2");
    relay.drain();
    fail("3");
    publish("k", "3");
    publish("k", "4");
    relay.drain();
    assertThat(got).containsExactly("2");
    failures.clear();

    assertThat(admin().deadLetters().retry(deadLetters())).isEqualTo(1);
    poll(relay);
    assertThat(got).containsExactly("2", "1");
    pass(relay, Duration.ofHours(1));

    assertThat(got).containsExactly("2", "1", "3", "4");
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  private SteppedRelay blocking(String name) {
    return relay(name, spec -> givingUp(spec).lanePolicy(HandlerSpec.LanePolicy.BLOCK), any -> {});
  }

  private SteppedRelay blockedBehindADeadLetter() throws Exception {
    SteppedRelay relay = blocking("a");
    fail("1");
    publish("k", "1");
    publish("k", "2");
    publish("k", "3");
    relay.drain();
    pass(relay, Duration.ofMinutes(2));
    assertThat(got).isEmpty();
    StoreAssert.assertThat(database.rows()).hasDeadLetters(1).laneIsBlocked(HANDLER, "k");
    return relay;
  }

  @Test
  void anUnblockedLaneGoesOnWithoutTheDeadLetter() throws Exception {
    SteppedRelay relay = blockedBehindADeadLetter();

    assertThat(admin().lanes().unblock(HANDLER, "k")).isTrue();
    poll(relay);

    assertThat(got).containsExactly("2", "3");
    StoreAssert.assertThat(database.rows()).hasDeadLetters(1).laneIsFree(HANDLER, "k");
    assertThat(admin().lanes().unblock(HANDLER, "k")).isFalse();
  }

  @Test
  void aBlockedLaneGoesOnWithItsDeadLetterWhenThatIsRetried() throws Exception {
    SteppedRelay relay = blockedBehindADeadLetter();
    failures.clear();

    admin().deadLetters().retry(deadLetters());
    poll(relay);

    assertThat(got).containsExactly("1", "2", "3");
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void aBlockedLaneGoesOnWhenItsDeadLetterIsResolved() throws Exception {
    SteppedRelay relay = blockedBehindADeadLetter();

    assertThat(admin().deadLetters().resolve(deadLetters())).isEqualTo(1);
    poll(relay);

    assertThat(got).containsExactly("2", "3");
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void aLaneWithNothingBehindItsMarkerIsFreeSoonAfterItIsUnblocked() throws Exception {
    SteppedRelay relay = blocking("a");
    fail("1");
    publish("k", "1");
    relay.drain();
    assertThat(admin().lanes().unblock(HANDLER, "k")).isTrue();
    pass(relay, Duration.ofSeconds(40));

    publish("k", "2");
    relay.drain();

    assertThat(got).containsExactly("2");
  }

  @Test
  void aLaneUnblockedInTheRelaysOwnProcessIsFreeAtOnce() throws Exception {
    SteppedRelay relay = blocking("a");
    fail("1");
    publish("k", "1");
    relay.drain();
    assertThat(relay.posthorn().admin().lanes().unblock(HANDLER, "k")).isTrue();
    relay.drain();

    publish("k", "2");
    relay.drain();

    assertThat(got).containsExactly("2");
  }

  @Test
  void aLaneBlockedInTheRelaysOwnProcessWaitsFromItsNextPassOn() throws Exception {
    SteppedRelay relay = relay("a");
    relay.drain();
    relay.posthorn().admin().lanes().block(HANDLER, "k");
    relay.drain();

    publish("k", "1");
    relay.drain();

    assertThat(got).isEmpty();
  }

  @Test
  void aLaneBlockedByHandWaitsThroughARestartUntilItIsUnblocked() throws Exception {
    SteppedRelay first = relay("a");
    publish("k", "1");
    first.drain();
    assertThat(admin().lanes().block(HANDLER, "k")).isTrue();
    assertThat(admin().lanes().block(HANDLER, "k")).isFalse();
    poll(first);
    publish("k", "2");
    publish("other", "3");
    first.drain();
    assertThat(got).containsExactly("1", "3");
    first.close();

    SteppedRelay second = relay("b");
    publish("k", "4");
    second.drain();
    pass(second, Duration.ofMinutes(2));
    assertThat(got).containsExactly("1", "3");

    assertThat(admin().lanes().unblock(HANDLER, "k")).isTrue();
    poll(second);
    assertThat(got).containsExactly("1", "3", "2", "4");
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void aLaneBlockedByHandWithNoFollowerWaitsThroughARestart() throws Exception {
    admin().lanes().block(HANDLER, "k");
    SteppedRelay relay = relay("a");
    publish("k", "1");
    relay.drain();

    assertThat(got).isEmpty();
    admin().lanes().unblock(HANDLER, "k");
    poll(relay);
    assertThat(got).containsExactly("1");
  }

  @Test
  void aCancelledMessageIsNeverDeliveredAndItsLaneGoesOn() throws Exception {
    SteppedRelay relay = relay("a", AdminScene::patient, any -> {});
    fail("1");
    publish("k", "1");
    publish("k", "2");
    relay.drain();
    assertThat(got).isEmpty();
    failures.clear();

    assertThat(admin().deferred().cancel(deferred().subList(0, 1))).isEqualTo(1);
    poll(relay);
    pass(relay, Duration.ofHours(2));

    assertThat(got).containsExactly("2");
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void whatIsToRunNowIsDeliveredBeforeItsTime() throws Exception {
    SteppedRelay relay = relay("a", AdminScene::patient, any -> {});
    fail("1");
    fail("2");
    publish("k", "1");
    publish(null, "2");
    relay.drain();
    failures.clear();
    poll(relay);
    assertThat(got).isEmpty();

    assertThat(admin().deferred().runNow(deferred())).isEqualTo(2);
    poll(relay);

    assertThat(got).containsExactlyInAnyOrder("1", "2");
    assertThat(deliveries).allMatch(delivery -> delivery.attempt() == 2);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void aSkippedHeadLetsItsLaneGoOn() throws Exception {
    SteppedRelay relay = relay("a", AdminScene::patient, any -> {});
    fail("1");
    publish("k", "1");
    publish("k", "2");
    relay.drain();

    assertThat(admin().lanes().skipHead(HANDLER, "k")).isPresent();
    poll(relay);

    assertThat(got).containsExactly("2");
    assertThat(database.rows().dead())
        .extracting(StoredRows.Dead::error)
        .containsExactly("skipped by an operator");
    assertThat(admin().lanes().skipHead(HANDLER, "k")).isEmpty();
  }

  @Test
  void aHandlerSeesTheHeadersThatWereEdited() throws Exception {
    SteppedRelay relay = relay("a", AdminScene::givingUp, any -> {});
    fail("1");
    publish("k", "1");
    relay.drain();
    failures.clear();

    admin().deadLetters().setHeaders(deadLetters().get(0), Map.of("region", "north"));
    admin().deadLetters().retryAll(Filter.all().handler(HANDLER));
    poll(relay);

    assertThat(deliveries.get(0).headers()).isEqualTo(Map.of("region", "north"));
  }

  @Test
  void aReplayedMessageIsDeliveredOnceMore() throws Exception {
    SteppedRelay relay = relay("a", b -> b.relay(r -> r.retention(Duration.ofDays(7))));
    publish("k", "1");
    publish(null, "2");
    relay.drain();
    assertThat(got).containsExactlyInAnyOrder("1", "2");
    Admin.HistoryEntry keyed =
        admin().history().page(Filter.all().key("k"), null, 10).items().get(0);

    assertThat(admin().history().replay(java.util.List.of(keyed.id()))).isEqualTo(1);
    assertThat(admin().deferred().count(Filter.all().reason(DeferReason.RETRYING)).entries())
        .isEqualTo(1);
    poll(relay);

    assertThat(got).hasSize(3).last().isEqualTo("1");
    assertThat(deliveries.get(2).messageId()).isEqualTo(keyed.messageId());
    assertThat(admin().history().count(Filter.all().messageId(keyed.messageId())).entries())
        .isEqualTo(2);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }
}
