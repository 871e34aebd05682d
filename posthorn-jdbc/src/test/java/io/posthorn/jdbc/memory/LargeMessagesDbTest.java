/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.spi.MessageStore;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Large messages do not keep a relay with default settings from reading on. */
class LargeMessagesDbTest {
  private static final int KIB = 1024;
  private static final String TYPE = "order-placed";

  /** Where the messages are. */
  enum Where {
    H2(TestDatabase::h2),
    POSTGRES(TestDatabase::postgres);

    private final Supplier<TestDatabase> make;

    Where(Supplier<TestDatabase> make) {
      this.make = make;
    }
  }

  private final Set<UUID> published = new HashSet<>();
  private final Set<UUID> delivered = new HashSet<>();
  private TestDatabase database;
  private JdbcTransactions transactions;
  private SteppedRelay relay;
  private Posthorn posthorn;

  private void start(Where where, int partitions) {
    database = where.make.get();
    transactions = database.transactions();
    MessageStore store = database.builder().partitions(partitions).build();
    relay =
        new SteppedRelay(
            "a",
            store,
            transactions,
            database.clock(),
            builder ->
                builder.handler(
                    "mailer",
                    TYPE,
                    byte[].class,
                    (payload, delivery) ->
                        assertThat(delivered.add(delivery.messageId())).as("once").isTrue()));
    posthorn = relay.posthorn();
  }

  @AfterEach
  void stop() {
    relay.close();
    database.close();
  }

  @ParameterizedTest
  @EnumSource
  void messagesOfTheLargestSizeDoNotStopThoseBehindThem(Where where) throws Exception {
    start(where, 64);
    publish(20, KIB * KIB);
    runForAWhile();
    publish(5, 10);
    runForAWhile();

    assertThat(delivered).hasSameSizeAs(published);
  }

  /** A read of one row of each partition would not fit into the window. */
  @ParameterizedTest
  @EnumSource
  void messagesThatWouldFillTheWindowWithOneOfEachPartitionDoNotStopThoseBehindThem(Where where)
      throws Exception {
    start(where, 1_024);
    publish(200, 32 * KIB);
    runForAWhile();
    publish(5, 10);
    runForAWhile();

    assertThat(delivered).hasSameSizeAs(published);
  }

  private void publish(int count, int bytes) throws Exception {
    for (int i = 0; i < count; i++) {
      Message message =
          Message.of(TYPE).key("key-" + published.size()).payload(new byte[bytes]).build();
      published.add(transactions.call(connection -> posthorn.outbox().publish(message)));
    }
  }

  private void runForAWhile() {
    for (int second = 0; second < 20; second++) {
      relay.drain();
      database.clock().advance(Duration.ofSeconds(1));
    }
  }
}
