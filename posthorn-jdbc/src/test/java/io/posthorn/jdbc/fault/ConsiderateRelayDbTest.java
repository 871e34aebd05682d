/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a relay does not do to the database and to other lanes, on real threads. */
@Timeout(120)
class ConsiderateRelayDbTest {
  private static final int CONNECTIONS = 10;
  private static final String TABLE_SCANS =
      "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'outbox_message'";
  private static final String DELETED =
      "SELECT n_tup_del FROM pg_stat_user_tables WHERE relname = 'outbox_message'";

  private final LiveDatabase database = LiveDatabase.onSharedServer();
  private final HikariDataSource pool = database.pool("relay", CONNECTIONS);
  private final JdbcTransactions transactions = new JdbcTransactions(pool);
  private final AtomicInteger handled = new AtomicInteger();
  private final CountDownLatch mayGoOn = new CountDownLatch(1);
  private final Await await = new Await(database::describe);
  private Posthorn relay;

  @AfterEach
  void stop() {
    mayGoOn.countDown();
    if (relay != null) {
      relay.close();
    }
    database.close();
  }

  @Test
  void noStatementOfTheRelayScansTheWholeTableThoughItWasEmptyWhenItWasPlanned() throws Exception {
    database.execute("VACUUM ANALYZE");
    long before = database.number(TABLE_SCANS);
    start();
    publishAndAwait(20, 10); // enough for the server to keep its plans
    publishAndAwait(20, 100);
    relay.close();
    pool.close(); // sessions that end have counted everything

    await.until("all counted", () -> database.number(DELETED) == 2_200);
    assertThat(database.number(TABLE_SCANS)).isEqualTo(before);
  }

  @Test
  void settingsOfTheRelaysTransactionsDoNotStayOnItsConnections() throws Exception {
    start();
    publishAndAwait(5, 10);
    relay.close();
    relay = null;

    List<Connection> all = new ArrayList<>();
    try {
      for (int i = 0; i < CONNECTIONS; i++) {
        all.add(pool.getConnection());
        assertThat(show(all.get(i), "enable_seqscan")).isEqualTo("on");
        assertThat(show(all.get(i), "synchronous_commit")).isEqualTo("on");
      }
    } finally {
      for (Connection connection : all) {
        connection.close();
      }
    }
  }

  /** The relay has learnt that few workers are enough. */
  @Test
  void handlerThatWasFastAndThenBlocksHoldsUpOnlyItsOwnLane() throws Exception {
    start();
    publishAndAwait(10, 100);
    publish(List.of(Message.of("order").key("blocking").payload("block").build()));
    await.until("it blocks", () -> mayGoOn.getCount() == 1 && handled.get() == 1_001);

    publish(orders(100));

    await.until("the others are delivered", () -> handled.get() == 1_101);
    mayGoOn.countDown();
  }

  /** Rows with a lower seq can appear only while a transaction runs that has a number. */
  @Test
  void publishersHaveATransactionNumberBeforeTheyDrawASeq() throws Exception {
    database.execute(
        """
        CREATE FUNCTION draw() RETURNS bigint LANGUAGE plpgsql AS $$
        BEGIN
          IF pg_current_xact_id_if_assigned() IS NULL THEN
            RAISE EXCEPTION 'a seq is drawn without a transaction number';
          END IF;
          RETURN nextval('outbox_seq');
        END $$
        """);
    database.execute("ALTER TABLE outbox_message ALTER seq SET DEFAULT draw()");
    start();
    publishAndAwait(1, 1);
    publishAndAwait(1, 3);
  }

  private void start() {
    relay =
        Posthorn.inOneProcess(LiveDatabase.store(pool).build(), transactions)
            .handler("shipping", "order", String.class, (payload, delivery) -> handle(payload))
            .start();
  }

  private void handle(String payload) throws InterruptedException {
    handled.incrementAndGet();
    if (payload.equals("block")) {
      assertThat(mayGoOn.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  private void publishAndAwait(int times, int count) throws Exception {
    for (int i = 0; i < times; i++) {
      int before = handled.get();
      publish(orders(count));
      await.until("handled", () -> handled.get() == before + count);
    }
    await.until("settled", () -> relay.relay().status().inMemory() == 0);
  }

  private static List<Message> orders(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> Message.of("order").key("customer-" + i).payload("take").build())
        .toList();
  }

  private void publish(List<Message> messages) throws Exception {
    transactions.run(connection -> relay.outbox().publishAll(messages));
  }

  private static String show(Connection connection, String setting) throws Exception {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SHOW " + setting)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
