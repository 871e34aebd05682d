/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fixture.OneDatabase;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.RelayStore.ReadRequest.Ask;
import io.posthorn.spi.RelayStore.ReadRequest.Slice;
import io.posthorn.test.StoreAssert;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Databases that tell of locks only: publishers are in a gate from before they draw their seqs to
 * their end, and no reader passes a seq below which one of them can still commit. docs/why/0017.
 */
abstract class GateContract extends OneDatabase {
  private static final Duration LOOK_BACK = Duration.ofMillis(200);
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final String KEY = "slow";

  private final List<Delivery> received = new ArrayList<>();

  /** A transaction that has written messages and not ended. */
  private final class OpenPublisher implements AutoCloseable {
    private final Connection connection;

    OpenPublisher(int isolation, int messages) throws SQLException {
      JdbcTransactions own = database.transactions();
      connection = own.begin();
      connection.setTransactionIsolation(isolation);
      List<NewMessage> written = new ArrayList<>();
      for (int i = 0; i < messages; i++) {
        written.add(newMessage());
      }
      store.append(own.current(), written);
    }

    void commit() throws SQLException {
      connection.commit();
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }

  private static NewMessage newMessage() {
    return new NewMessage(
        partitionOf(KEY),
        new Envelope(
            UUID.randomUUID(),
            TYPE,
            null,
            KEY,
            null,
            Map.of(),
            "application/json",
            "{}".getBytes(StandardCharsets.UTF_8),
            Instant.EPOCH,
            null));
  }

  /** At which a transaction sees what it saw at its beginning. */
  protected int snapshotIsolation() {
    return Connection.TRANSACTION_REPEATABLE_READ;
  }

  private SteppedRelay recording() {
    SteppedRelay relay =
        relay(
            "a",
            builder ->
                builder
                    .relay(options -> options.lookBack(LOOK_BACK))
                    .handler(
                        HANDLER, TYPE, String.class, (text, delivery) -> received.add(delivery)));
    relay.drain();
    return relay;
  }

  @Test
  void nextMessageOfAKeyDoesNotOvertakeASlowTransaction() throws Exception {
    SteppedRelay relay = recording();
    for (int isolation : List.of(snapshotIsolation(), Connection.TRANSACTION_READ_COMMITTED)) {
      received.clear();
      try (OpenPublisher slow = new OpenPublisher(isolation, 3)) {
        letOthersPass(relay);
        slow.commit();
        UUID next = publish(KEY);
        relay.drain();

        assertThat(ofTheKey()).hasSize(4);
        assertThat(ofTheKey()).extracting(delivery -> delivery.message().seq()).isSorted();
        assertThat(ofTheKey().get(3).messageId()).isEqualTo(next);
      }
    }
    StoreAssert.assertThat(database.rows()).hasNoMessages();
  }

  /** Far beyond the look-back, through all gates, each of them delivered at once. */
  private void letOthersPass(SteppedRelay relay) throws Exception {
    String neighbour = neighbourOf(KEY);
    for (int i = 0; i < 50; i++) {
      int before = received.size();
      List<UUID> others = new ArrayList<>(publish(neighbour, 2));
      others.add(publish("other-" + i));
      relay.drain();
      assertThat(received.subList(before, received.size()))
          .extracting(Delivery::messageId)
          .containsExactlyInAnyOrderElementsOf(others);
      database.clock().advance(Duration.ofMillis(100));
    }
  }

  private List<Delivery> ofTheKey() {
    return received.stream().filter(delivery -> KEY.equals(delivery.key())).toList();
  }

  @Test
  void markIsPassedWhenAllWhoDrewBeforeItHaveEnded() throws Exception {
    try (RelayStore reader = store.relay(LEASE)) {
      publish(KEY);
      try (OpenPublisher slow = new OpenPublisher(snapshotIsolation(), 1)) {
        UUID quick = publish(KEY);
        ReadResult first = read(reader, Ask.MARK);
        assertThat(first.rows()).hasSize(2);
        assertThat(first.rows().get(1).envelope().id()).isEqualTo(quick);
        assertThat(first.mark().drawn()).isEqualTo(first.rows().get(1).seq());
        assertThat(read(reader, Ask.NOTHING).oldestRunning())
            .isLessThanOrEqualTo(first.mark().transaction());
        slow.commit();

        ReadResult last = read(reader, Ask.NOTHING);
        assertThat(last.oldestRunning()).isGreaterThan(first.mark().transaction());
        assertThat(last.rows()).hasSize(3); // all that is below the mark
      }
    }
  }

  @Test
  void markIsPassedWhenTheOneThatHeldItRollsBack() throws Exception {
    try (RelayStore reader = store.relay(LEASE)) {
      ReadResult first;
      try (OpenPublisher slow = new OpenPublisher(Connection.TRANSACTION_READ_COMMITTED, 1)) {
        publish(KEY);
        first = read(reader, Ask.MARK);
        assertThat(read(reader, Ask.NOTHING).oldestRunning())
            .isLessThanOrEqualTo(first.mark().transaction());
        slow.connection.rollback();
      }

      assertThat(read(reader, Ask.NOTHING).oldestRunning())
          .isGreaterThan(first.mark().transaction());
    }
  }

  /** Those who have done nothing but read, or write elsewhere, are of no concern. */
  @Test
  void markIsPassedWhateverOthersDo() throws Exception {
    database.execute("CREATE TABLE other (n int)");
    try (RelayStore reader = store.relay(LEASE);
        Connection other = database.dataSource().getConnection()) {
      other.setAutoCommit(false);
      other.createStatement().execute("INSERT INTO other VALUES (1)");
      other.createStatement().executeQuery("SELECT * FROM outbox_message");
      publish(KEY);
      ReadResult first = read(reader, Ask.MARK);

      assertThat(read(reader, Ask.NOTHING).oldestRunning())
          .isGreaterThan(first.mark().transaction());
      other.rollback();
    }
  }

  private static ReadResult read(RelayStore reader, Ask ask) {
    return reader.read(
        new ReadRequest(
            List.of(new Slice(partitionOf(KEY), 0, 100)),
            new long[0],
            ReadRequest.Lanes.NONE,
            100,
            Long.MAX_VALUE,
            ask));
  }
}
