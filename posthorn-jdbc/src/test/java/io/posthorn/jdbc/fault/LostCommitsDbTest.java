/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Delivery;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.servers.PostgresBackup;
import io.posthorn.servers.PostgresServer;
import java.lang.reflect.Proxy;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The database goes on without commits whose messages a relay has in memory, and publishers have
 * drawn their seqs again, and more, before the relay notices.
 */
@Timeout(120)
class LostCommitsDbTest {
  /** A server draws up to 32 seqs ahead, and does not draw those again when it has crashed. */
  private static final int PUBLISHED = 200;

  private final PostgresServer primary = PostgresServer.newest();
  private final List<String> deliveries = new ArrayList<>(); // guarded by itself
  private final CountDownLatch began = new CountDownLatch(1);
  private final CountDownLatch mayEnd = new CountDownLatch(1);
  private final Await await = new Await(this::received);
  private final List<AutoCloseable> opened = new ArrayList<>();
  private PostgresServer standby;
  private LiveDatabase database;

  @BeforeEach
  void start() {
    primary.start();
    database = LiveDatabase.on(primary);
    standby = PostgresServer.standbyOf(primary, primary.port());
  }

  @AfterEach
  void stop() throws Exception {
    mayEnd.countDown();
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
    database.close();
    standby.close();
    primary.close();
  }

  private void take(String text, Delivery delivery) throws InterruptedException {
    if (text.equals("lost 0")) {
      began.countDown();
      assertThat(mayEnd.await(60, TimeUnit.SECONDS)).isTrue();
    }
    synchronized (deliveries) {
      deliveries.add(text);
    }
  }

  private String received() {
    synchronized (deliveries) {
      return deliveries.toString();
    }
  }

  private boolean wasReceived(String text) {
    synchronized (deliveries) {
      return deliveries.contains(text);
    }
  }

  private <T extends AutoCloseable> T keep(T one) {
    opened.add(one);
    return one;
  }

  private static void publish(HikariDataSource pool, String what, int count) throws Exception {
    publish(pool, i -> Message.of("order").key("k").payload(what + " " + i).build(), count);
  }

  private static void publish(HikariDataSource pool, IntFunction<Message> messages, int count)
      throws Exception {
    JdbcTransactions transactions = new JdbcTransactions(pool);
    try (Posthorn publisher =
        Posthorn.publishOnly(LiveDatabase.store(pool).build(), transactions).build()) {
      for (int i = 0; i < count; i++) {
        Message message = messages.apply(i);
        transactions.run(connection -> publisher.outbox().publish(message));
      }
    }
  }

  @Test
  void afterAFailoverMessagesWithSeqsOfLostOnesAreDeliveredInOrder() throws Exception { // issue 19
    standby.start();
    startRelay(
        url("127.0.0.1:" + primary.port() + ",127.0.0.1:" + standby.port()),
        UnaryOperator.identity());
    HikariDataSource before = deliverOne();
    await.until(
        "the standby follows",
        () ->
            database.holds(
                "SELECT bool_and(replay_lsn = pg_current_wal_lsn()) FROM pg_stat_replication"));

    standby.promote();
    publishLost(before);
    publishNew(keep(LiveDatabase.pool(url("127.0.0.1:" + standby.port()), "after", 3)));
    primary.kill();

    assertNewOnesComeInOrder();
  }

  @Test
  void afterARestoreMessagesWithSeqsOfLostOnesAreDeliveredInOrder() throws Exception { // issue 19
    AtomicBoolean away = new AtomicBoolean();
    startRelay(database.url(), pool -> unless(away::get, pool));
    HikariDataSource before = deliverOne();
    PostgresBackup copy = keep(primary.backUp());

    publishLost(before);
    away.set(true);
    primary.restore(copy);
    primary.start();
    publishNew(keep(LiveDatabase.pool(database.url(), "after", 3)));
    away.set(false);

    assertNewOnesComeInOrder();
  }

  /** Its floors are those of the old history. */
  @Test
  void whatTheLeaseStoresBeforeTheReaderNoticesDoesNoHarm() throws Exception { // issue 19
    AtomicBoolean away = new AtomicBoolean();
    AtomicBoolean readerAway = new AtomicBoolean();
    startRelay(
        database.url(),
        pool ->
            unless(
                () ->
                    away.get()
                        || (readerAway.get() && Thread.currentThread().getName().contains("-read")),
                pool));
    HikariDataSource before = deliverOne();
    PostgresBackup copy = keep(primary.backUp());

    publishLost(before);
    mayEnd.countDown();
    await.until("all are delivered", () -> wasReceived("lost " + (PUBLISHED / 2 - 1)));
    away.set(true);
    readerAway.set(true);
    primary.restore(copy);
    primary.start();
    publishNew(keep(LiveDatabase.pool(database.url(), "after", 3)));
    away.set(false);
    String beat = heartbeat();
    await.until("a heartbeat, and floors behind it", () -> !heartbeat().equals(beat));
    String second = heartbeat();
    await.until("another one", () -> !heartbeat().equals(second));
    readerAway.set(false);

    assertNewOnesComeInOrder();
  }

  private String heartbeat() {
    return database.list("SELECT good_until::text FROM outbox_heartbeat").toString();
  }

  @Test
  void aServerThatDoesNotTellItsPastIsReadAllTheSame() throws Exception { // issue 19
    database.execute(
        """
        CREATE ROLE app LOGIN;
        GRANT ALL ON ALL TABLES IN SCHEMA public TO app;
        GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO app;
        REVOKE EXECUTE ON FUNCTION pg_control_checkpoint() FROM PUBLIC
        """);
    startRelay(database.url().replace("user=postgres", "user=app"), UnaryOperator.identity());

    deliverOne();
  }

  private String url(String hosts) {
    return database.url().replace("127.0.0.1:" + primary.port(), hosts);
  }

  private static DataSource unless(BooleanSupplier away, DataSource pool) {
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (self, method, arguments) -> {
              if (away.getAsBoolean() && method.getName().equals("getConnection")) {
                throw new SQLTransientConnectionException("away, as planned", "08001");
              }
              return method.invoke(pool, arguments);
            });
  }

  private void startRelay(String url, UnaryOperator<DataSource> wrapped) {
    DataSource pool = wrapped.apply(keep(LiveDatabase.pool(url, "relay", 10)));
    keep(
        Posthorn.inOneProcess(LiveDatabase.store(pool).build(), new JdbcTransactions(pool))
            .relay(options -> options.name("relay").heartbeatInterval(Duration.ofMillis(500)))
            .handler("mailer", "order", String.class, this::take)
            .start());
  }

  private HikariDataSource deliverOne() throws Exception {
    HikariDataSource pool = keep(LiveDatabase.pool(database.url(), "before", 3));
    publish(pool, "kept", 1);
    await.until("kept", () -> wasReceived("kept 0"));
    return pool;
  }

  /** The relay has them in memory when this returns. */
  private void publishLost(HikariDataSource pool) throws Exception {
    publish(pool, "lost", PUBLISHED / 2);
    assertThat(began.await(30, TimeUnit.SECONDS)).isTrue();
    publish(pool, i -> Message.of("order").key("other " + i).payload("read").build(), 10);
    await.until("the relay has read them", () -> wasReceived("read"));
  }

  private static void publishNew(HikariDataSource pool) throws Exception {
    publish(pool, "new", PUBLISHED);
    publish(pool, i -> Message.of("order").key("other " + i).payload("other").build(), 10);
  }

  private void assertNewOnesComeInOrder() {
    await.until("the relay reads on", () -> wasReceived("other"));
    mayEnd.countDown();
    await.until("the last one", () -> wasReceived("new " + (PUBLISHED - 1)));
    synchronized (deliveries) {
      assertThat(deliveries)
          .filteredOn(text -> text.startsWith("new"))
          .containsExactlyElementsOf(
              IntStream.range(0, PUBLISHED).mapToObj(i -> "new " + i).toList());
    }
  }
}
