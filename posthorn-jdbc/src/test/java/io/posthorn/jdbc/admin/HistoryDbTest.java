/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin.Filter;
import io.posthorn.Admin.HistoryEntry;
import io.posthorn.HandlerSpec;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.spi.RelayListener;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Delivered messages are kept for a while, if that is asked for. */
class HistoryDbTest extends AdminScene {
  private static final Duration WEEK = Duration.ofDays(7);

  private List<String> kept() {
    return admin().history().page(Filter.all(), null, 100).items().stream()
        .map(HistoryEntry::handler)
        .toList();
  }

  @Test
  void aMessageOfSeveralHandlersIsKeptForEachThatHadIt() throws Exception {
    SteppedRelay relay =
        relay(
            "a",
            AdminScene::patient,
            b ->
                b.relay(r -> r.retention(WEEK))
                    .handler("audit", TYPE, String.class, (text, delivery) -> {}));
    fail("1");
    publish("k", "1");
    relay.drain();
    assertThat(kept()).as("the other has failed").containsExactly("audit");
    failures.clear();

    pass(relay, Duration.ofHours(1));

    assertThat(kept()).containsExactly("audit", HANDLER);
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void aTransactionalHandlersMessageIsKeptInItsTransaction() throws Exception {
    SteppedRelay relay =
        relay("a", HandlerSpec::transactional, b -> b.relay(r -> r.retention(WEEK)));
    publish("k", "1");
    publish(null, "2");
    relay.drain();

    assertThat(got).hasSize(2);
    assertThat(kept()).containsExactly(HANDLER, HANDLER);
  }

  @Test
  void withoutRetentionDeliveredMessagesTakeOneStatement() throws Exception {
    RecordedStatements recorded = new RecordedStatements(database.dataSource());
    store = database.builder().relayDataSource(recorded.dataSource()).build();
    SteppedRelay relay = relay("a");
    relay.drain();
    publish("k", "1");
    publish("l", "2");
    relay.steps().step("read");
    recorded.clear();

    relay.steps().step("settle");

    assertThat(recorded.containing(""))
        .hasSize(1)
        .first()
        .asString()
        .contains("DELETE FROM outbox_message");
    assertThat(recorded.containing("outbox_history")).isEmpty();
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  @Test
  void withRetentionTheyTakeOneStatementToo() throws Exception {
    RecordedStatements recorded = new RecordedStatements(database.dataSource());
    store = database.builder().relayDataSource(recorded.dataSource()).build();
    SteppedRelay relay = relay("a", b -> b.relay(r -> r.retention(WEEK)));
    relay.drain();
    publish("k", "1");
    publish("l", "2");
    relay.steps().step("read");
    recorded.clear();

    relay.steps().step("settle");

    assertThat(recorded.containing("")).hasSize(1);
    assertThat(kept()).containsExactly(HANDLER, HANDLER);
  }

  /** Writes down what was purged. */
  private static final class PurgeLog implements RelayListener {
    private final List<String> purged = new ArrayList<>();

    @Override
    public void purged(String what, int rows) {
      purged.add(rows + " of " + what);
    }
  }

  private void insertHistory(int count) {
    database.execute(
        """
        INSERT INTO outbox_history (partition_no, seq, handler, id, type, content_type, occurred_at, created_at, delivered_at)
        SELECT 0, -n, 'mailer', gen_random_uuid(), 'order-placed', 'text/plain', now(), now(), now()
          FROM generate_series(1, %d) AS n
        """
            .formatted(count));
  }

  @Test
  void oldHistoryIsPurgedInBatchesByTheOneRelayThatHoldsTheFirstPartition() throws Exception {
    PurgeLog logOfA = new PurgeLog();
    PurgeLog logOfB = new PurgeLog();
    SteppedRelay a = relay("a", b -> b.relay(r -> r.retention(WEEK)).listener(logOfA));
    SteppedRelay b = relay("b", builder -> builder.relay(r -> r.retention(WEEK)).listener(logOfB));
    for (int i = 0; i < 3; i++) {
      database.clock().advance(Duration.ofSeconds(1));
      a.drain();
      b.drain();
    }
    insertHistory(2_300);
    boolean aHoldsTheFirst = a.posthorn().relay().status().epochs().containsKey(0);
    assertThat(b.posthorn().relay().status().epochs().containsKey(0)).isNotEqualTo(aHoldsTheFirst);
    SteppedRelay holder = aHoldsTheFirst ? a : b;
    SteppedRelay other = aHoldsTheFirst ? b : a;
    holder.drain();
    assertThat(admin().history().count(Filter.all()).entries())
        .as("not old enough")
        .isEqualTo(2_300);

    // Old enough, without the time that would cost the leases.
    database.execute("UPDATE outbox_history SET delivered_at = delivered_at - interval '8 days'");
    other.drain();
    assertThat(admin().history().count(Filter.all()).entries())
        .as("not for this one")
        .isEqualTo(2_300);
    holder.drain();

    assertThat(admin().history().count(Filter.all()).entries()).isZero();
    assertThat((aHoldsTheFirst ? logOfA : logOfB).purged)
        .containsExactly("1000 of history", "1000 of history", "300 of history");
    assertThat((aHoldsTheFirst ? logOfB : logOfA).purged).isEmpty();
  }

  @Test
  void aRelayWithoutALeasePurgesNothing() throws Exception {
    SteppedRelay relay = relay("a", b -> b.relay(r -> r.retention(WEEK)));
    relay.drain();
    insertHistory(10);
    database.execute("UPDATE outbox_history SET delivered_at = delivered_at - interval '8 days'");
    database.clock().advanceElapsed(SteppedRelay.LEASE);

    assertThat(relay.steps().step("purge")).isZero();

    assertThat(admin().history().count(Filter.all()).entries()).isEqualTo(10);
  }
}
