/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Delivered rows are deleted where they were read, and found by their keys if they have moved. */
class MovedRowsDbTest {
  private final TestDatabase database = TestDatabase.postgres();
  private final JdbcTransactions transactions = database.transactions();
  private final MessageStore store = database.store();
  private Posthorn publisher;
  private RelayStore relay;
  private RelayIdentity me;

  @BeforeEach
  void start() {
    store.open();
    publisher = Posthorn.publishOnly(store, transactions).build();
    relay = store.relay(Duration.ofMinutes(1));
    me = relay.join("a", Map.of("mailer", Set.of("t")));
    List<PartitionOwner> all = relay.survey().partitions();
    relay.take(me, all);
  }

  @AfterEach
  void stop() {
    relay.close();
    publisher.close();
    database.close();
  }

  private void publish(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      String key = "k" + i;
      transactions.run(
          connection -> publisher.outbox().publish(Message.of("t").key(key).payload("x").build()));
    }
  }

  private List<StoredMessage> read() {
    List<ReadRequest.Slice> slices =
        relay.survey().partitions().stream()
            .map(row -> new ReadRequest.Slice(row.partition(), 0, 100))
            .toList();
    return relay
        .read(
            new ReadRequest(
                slices,
                new long[0],
                new ReadRequest.Lanes(List.of(), Set.of()),
                1_000,
                1 << 20,
                ReadRequest.Ask.NOTHING))
        .rows();
  }

  private boolean settle(List<StoredMessage> delivered) {
    List<Settlement.Ready> rows =
        delivered.stream()
            .map(
                row ->
                    new Settlement.Ready(
                        row.partition(),
                        row.seq(),
                        row.envelope().id(),
                        row.envelope().key(),
                        row.place(),
                        List.of(),
                        List.of()))
            .toList();
    return relay.settle(me, new Settlement(rows, List.of()));
  }

  private List<StoredRows.Ready> left() {
    return database.rows().ready();
  }

  @Test
  void rowsAreDeletedWhereTheyWereRead() throws Exception {
    publish(20);
    List<StoredMessage> rows = read();
    assertThat(rows).hasSize(20).allSatisfy(row -> assertThat(row.place()).isNotNull());
    long lookUps = indexScans();
    assertThat(settle(rows)).isTrue();
    assertThat(left()).isEmpty();
    assertThat(indexScans()).as("look-ups by key").isEqualTo(lookUps);
  }

  private long indexScans() {
    return database.number(
        "SELECT pg_stat_get_xact_numscans('outbox_message_pkey'::regclass) + (SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'outbox_message_pkey')");
  }

  @Test
  void rowsThatWereMovedByARewriteOfTheTableAreDeletedAll() throws Exception {
    publish(20);
    List<StoredMessage> first = read().subList(0, 10);
    settle(first);
    List<StoredMessage> rows = read();
    assertThat(rows).hasSize(10);
    database.execute("VACUUM FULL outbox_message");
    assertThat(read())
        .extracting(StoredMessage::place)
        .doesNotContainAnyElementsOf(rows.stream().map(StoredMessage::place).skip(5).toList());

    assertThat(settle(rows)).isTrue();
    assertThat(left()).isEmpty();
  }

  /** The place of a row that is gone is used again. */
  @Test
  void anotherMessageThatIsAtThePlaceOfOneStays() throws Exception {
    publish(10);
    List<StoredMessage> rows = read();
    settle(rows);
    database.execute("VACUUM outbox_message");
    publish(10);
    List<StoredMessage> others = read();
    assertThat(others)
        .extracting(StoredMessage::place)
        .containsExactlyInAnyOrderElementsOf(rows.stream().map(StoredMessage::place).toList());

    assertThat(settle(rows)).isTrue();
    assertThat(left()).hasSize(10);
    assertThat(settle(others)).isTrue();
    assertThat(left()).isEmpty();
  }

  @Test
  void anExpelledRelayDeletesNothingByPlaces() throws Exception {
    publish(5);
    List<StoredMessage> rows = read();
    database.execute("DELETE FROM outbox_instance");
    assertThat(settle(rows)).isFalse();
    assertThat(left()).hasSize(5);
  }
}
