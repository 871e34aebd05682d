/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.Fate;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.Settlement.Leftover;
import io.posthorn.spi.StoredMessage;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Outcomes move rows between the tables as they say.
 *
 * @since 0.1
 */
public abstract class SettleContract extends StoreContract {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private RelayIdentity me;

  @BeforeEach
  final void joinFleet() {
    me = join("a");
  }

  private static StoredRows.Deferred deferredRow(
      StoredMessage row, String handler, Fate.Deferred fate) {
    return new StoredRows.Deferred(
        row.partition(),
        row.seq(),
        row.envelope().type(),
        row.envelope().key(),
        handler,
        fate.reason().name(),
        fate.attempts(),
        fate.error());
  }

  private static StoredRows.Dead deadRow(StoredMessage row, String handler, Fate.Dead fate) {
    return new StoredRows.Dead(
        row.partition(),
        row.seq(),
        row.envelope().type(),
        row.envelope().key(),
        handler,
        fate.attempts(),
        fate.error());
  }

  private static Fate.Deferred failed(int attempts, String error) {
    return (Fate.Deferred) retrying(attempts, MINUTE, error);
  }

  @Test
  void deliveredMessageLeavesNoTrace() {
    List<StoredMessage> rows = append(Messages.many(3, 0));

    assertThat(settleReady(me, rows.get(1))).isTrue();

    assertThat(rows().ready())
        .extracting(StoredRows.Ready::seq)
        .containsExactly(rows.get(0).seq(), rows.get(2).seq());
    assertThat(rows().deferred()).isEmpty();
    StoreAssert.assertThat(rows()).hasDeadLetters(0);
  }

  @Test
  void failedMessageIsDeferredWithAttemptsAndError() {
    StoredMessage row = append(Messages.keyed(2, "order-1"));

    assertThat(settleReady(me, row, new Leftover("mailer", failed(1, "no route")))).isTrue();

    assertThat(rows().ready()).isEmpty();
    assertThat(rows().deferred())
        .containsExactly(deferredRow(row, "mailer", failed(1, "no route")));
  }

  @Test
  void deadMessageBecomesADeadLetter() {
    StoredMessage row = append(Messages.keyed(2, "order-1"));
    Fate.Dead fate = new Fate.Dead(7, "cannot be read");

    assertThat(settleReady(me, row, new Leftover("mailer", fate))).isTrue();

    assertThat(rows().ready()).isEmpty();
    assertThat(rows().deferred()).isEmpty();
    assertThat(rows().dead()).containsExactly(deadRow(row, "mailer", fate));
  }

  @Test
  void eachUnfinishedHandlerGetsARowOfItsOwn() {
    StoredMessage row = append(Messages.keyless(1));
    Fate.Dead dead = new Fate.Dead(1, "gone");

    settleReady(
        me,
        row,
        new Leftover("audit", held()),
        new Leftover("mailer", failed(2, "busy")),
        new Leftover("search", dead));

    assertThat(rows().ready()).isEmpty();
    assertThat(rows().deferred())
        .containsExactlyInAnyOrder(
            deferredRow(row, "audit", (Fate.Deferred) held()),
            deferredRow(row, "mailer", failed(2, "busy")));
    assertThat(rows().dead()).containsExactly(deadRow(row, "search", dead));
  }

  @Test
  void deferredMessageThatIsDeliveredIsGoneForItsHandlerOnly() {
    StoredMessage row = append(Messages.keyed(0, "order-1"));
    settleReady(me, row, new Leftover("audit", held()), new Leftover("mailer", held()));

    assertThat(settleDeferred(me, row, "mailer", Fate.DELIVERED)).isTrue();

    assertThat(rows().deferred()).extracting(StoredRows.Deferred::handler).containsExactly("audit");
    StoreAssert.assertThat(rows()).hasReady(0).hasDeadLetters(0);
  }

  @Test
  void deferredMessageThatFailsAgainIsChangedInPlace() {
    StoredMessage row = defer(me, Messages.keyed(0, "order-1"), "mailer", failed(1, "busy"));

    settleDeferred(me, row, "mailer", failed(2, "still busy"));
    assertThat(rows().deferred())
        .containsExactly(deferredRow(row, "mailer", failed(2, "still busy")));

    settleDeferred(me, row, "mailer", waiting(MINUTE));
    assertThat(rows().deferred())
        .containsExactly(deferredRow(row, "mailer", (Fate.Deferred) waiting(MINUTE)));
  }

  @Test
  void deferredMessageThatDiesBecomesADeadLetter() {
    StoredMessage row = append(Messages.keyed(0, "order-1"));
    settleReady(me, row, new Leftover("audit", held()), new Leftover("mailer", held()));
    Fate.Dead fate = new Fate.Dead(10, "gave up");

    settleDeferred(me, row, "mailer", fate);

    assertThat(rows().dead()).containsExactly(deadRow(row, "mailer", fate));
    assertThat(rows().deferred()).extracting(StoredRows.Deferred::handler).containsExactly("audit");
  }

  @Test
  void deferredMessageThatIsMadeReadyGetsAFreshSeq() {
    StoredMessage row = defer(me, Messages.keyed(3, "order-1"), "*", waiting(MINUTE));
    StoredMessage later = append(Messages.keyed(3, "order-1"));

    settleDeferred(me, row, "*", new Fate.Ready());

    assertThat(rows().deferred()).isEmpty();
    assertThat(readAll())
        .extracting(found -> found.envelope().id())
        .containsExactly(later.envelope().id(), row.envelope().id());
    assertThat(readAll()).allMatch(found -> found.partition() == 3);
  }

  @Test
  void messagesMadeReadyTogetherKeepTheOrderOfTheSettlement() {
    List<StoredMessage> rows = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      rows.add(defer(me, Messages.keyed(i, "order-" + i), "*", waiting(null)));
    }
    rows.sort(Comparator.comparingLong(StoredMessage::seq).reversed());

    relay()
        .settle(
            me,
            new Settlement(
                List.of(), rows.stream().map(row -> changed(row, "*", new Fate.Ready())).toList()));

    assertThat(readAll())
        .extracting(row -> row.envelope().id())
        .containsExactlyElementsOf(rows.stream().map(row -> row.envelope().id()).toList());
  }

  @Test
  void outcomesOfAllKindsAreStoredTogether() {
    StoredMessage delivered = append(Messages.keyed(0, "a"));
    StoredMessage failed = append(Messages.keyed(1, "b"));
    StoredMessage retried = defer(me, Messages.keyed(2, "c"), "mailer", held());
    StoredMessage moved = defer(me, Messages.keyed(3, "d"), "*", waiting(null));
    StoredMessage given = defer(me, Messages.keyed(4, "e"), "mailer", held());

    boolean settled =
        relay()
            .settle(
                me,
                new Settlement(
                    List.of(left(delivered), left(failed, new Leftover("mailer", held()))),
                    List.of(
                        changed(retried, "mailer", Fate.DELIVERED),
                        changed(moved, "*", new Fate.Ready()),
                        changed(given, "mailer", new Fate.Dead(3, "gave up")))));

    assertThat(settled).isTrue();
    assertThat(rows().ready()).extracting(StoredRows.Ready::key).containsExactly("d");
    assertThat(rows().deferred()).extracting(StoredRows.Deferred::key).containsExactly("b");
    assertThat(rows().dead()).extracting(StoredRows.Dead::key).containsExactly("e");
  }

  @Test
  void hundredsOfOutcomesAreStoredTogether() {
    List<StoredMessage> rows = append(Messages.many(400, 0));
    List<Settlement.Ready> outcomes = new ArrayList<>();
    for (StoredMessage row : rows) {
      outcomes.add(outcomes.size() % 2 == 0 ? left(row) : left(row, new Leftover("m", held())));
    }

    relay().settle(me, new Settlement(outcomes, List.of()));

    StoreAssert.assertThat(rows()).hasReady(0);
    assertThat(rows().deferred()).hasSize(200);
  }

  @Test
  void errorTextIsStoredAsItIs() {
    String error = "Grüße \uD83D\uDCEF 'x' \"y\" \\ {z}\r\n\tat Line.java:1\n".repeat(200);
    StoredMessage row = append(Messages.keyed(0, "order-1"));
    settleReady(
        me,
        row,
        new Leftover("mailer", failed(1, error)),
        new Leftover("search", new Fate.Dead(1, error)));

    assertThat(rows().deferred()).extracting(StoredRows.Deferred::error).containsExactly(error);
    assertThat(rows().dead()).extracting(StoredRows.Dead::error).containsExactly(error);
  }

  @Test
  void aDeadLetterCanLeaveItsLaneBlocked() {
    RelayIdentity me = join("a");
    Fate blocking = new Fate.Dead(3, "refused", true);
    StoredMessage fromReady = defer(me, Messages.keyed(0, "a"), "mailer", blocking);
    StoredMessage deferred = defer(me, Messages.keyed(0, "b"), "mailer", held());
    settleDeferred(me, deferred, "mailer", blocking);
    StoredMessage keyless = defer(me, Messages.keyless(0), "mailer", blocking);
    StoredMessage keylessDeferred = defer(me, Messages.keyless(0), "mailer", held());
    settleDeferred(me, keylessDeferred, "mailer", blocking);

    assertThat(rows().dead())
        .extracting(StoredRows.Dead::seq)
        .containsExactlyInAnyOrder(
            fromReady.seq(), deferred.seq(), keyless.seq(), keylessDeferred.seq());
    assertThat(rows().deferred())
        .extracting(StoredRows.Deferred::seq)
        .containsExactlyInAnyOrder(fromReady.seq(), deferred.seq());
    assertThat(rows().deferred()).allMatch(row -> row.reason().equals("BLOCKED"));
    advance(Duration.ofDays(10_000));
    assertThat(dueLanes(List.of(0), List.of("mailer"), 10)).isEmpty();
  }
}
