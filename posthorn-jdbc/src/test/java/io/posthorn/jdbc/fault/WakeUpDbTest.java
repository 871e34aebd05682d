/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.Admin;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcTransactions;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * One process publishes, the relay of another delivers. It polls so seldom that only a signal can
 * have told it, except where the test is about polling.
 */
@Timeout(120)
class WakeUpDbTest {
  private static final Duration SELDOM = Duration.ofMinutes(5);

  private final LiveDatabase database = LiveDatabase.onSharedServer();
  private final HikariDataSource relayPool = database.pool("relay", 10);
  private final DeafStore relayStore = new DeafStore(LiveDatabase.store(relayPool).build());
  private final HikariDataSource publisherPool = database.pool("publisher", 5);
  private final JdbcTransactions transactions = new JdbcTransactions(publisherPool);
  private final Posthorn publisher =
      Posthorn.publishOnly(LiveDatabase.store(publisherPool).build(), transactions).start();
  private final ConcurrentHashMap<UUID, Long> delivered = new ConcurrentHashMap<>();
  private final Await await = new Await(database::describe);
  private Posthorn relay;

  @AfterEach
  void stop() {
    publisher.close();
    relay.close();
    database.close();
  }

  @Test
  void messageOfAnotherProcessArrivesBySignal() throws Exception {
    startRelay(SELDOM);
    publishAndAwait("warm-up");

    long begun = System.nanoTime();
    UUID id = publishAndAwait("order");

    assertThat(Duration.ofNanos(delivered.get(id) - begun)).isLessThan(Duration.ofSeconds(1));
  }

  @Test
  void whatAPersonDoesInAnotherProcessArrivesBySignal() throws Exception {
    startRelay(SELDOM);
    UUID id = publishAndAwait("order");
    await.until("kept", () -> publisher.admin().history().count(Admin.Filter.all()).entries() == 1);
    delivered.clear();

    long begun = System.nanoTime();
    assertThat(publisher.admin().history().replayAll(Admin.Filter.all())).isEqualTo(1);
    await.until("delivered once more", () -> delivered.containsKey(id));

    assertThat(Duration.ofNanos(delivered.get(id) - begun)).isLessThan(Duration.ofSeconds(1));
  }

  @Test
  void listenerThatWasCutOffListensAgain() throws Exception {
    startRelay(SELDOM);
    publishAndAwait("warm-up");
    int begun = relayStore.listened();

    database.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'relay'");
    await.until("it listens on another connection", () -> relayStore.listened() > begun);

    publishAndAwait("order");
  }

  @Test
  void messageWhoseSignalWasMissedIsReadWhenTheListenerHearsAgain() throws Exception {
    startRelay(SELDOM);
    publishAndAwait("warm-up");

    relayStore.cut(true);
    await.until("nobody listens", () -> !relayStore.isListening());
    UUID missed = publish("missed");
    await.stays("nobody told", Duration.ofMillis(200), () -> !delivered.containsKey(missed));
    relayStore.cut(false);

    await.until("delivered all the same", () -> delivered.containsKey(missed));
  }

  @Test
  void relayThatNeverHearsDeliversByPolling() throws Exception {
    relayStore.deaf();
    startRelay(Duration.ofMillis(200));

    publishAndAwait("order");
    publishAndAwait("order");
  }

  private void startRelay(Duration poll) {
    relay =
        Posthorn.inOneProcess(relayStore, new JdbcTransactions(relayPool))
            .handler(
                "shipping",
                "order",
                String.class,
                (payload, delivery) -> delivered.put(delivery.messageId(), System.nanoTime()))
            .relay(
                options ->
                    options
                        .name("relay")
                        .retention(Duration.ofDays(1))
                        .pollInterval(poll)
                        .busyPollInterval(poll)
                        .sweepInterval(SELDOM))
            .start();
    await.until("it has its partitions", () -> relay.relay().status().epochs().size() == 8);
    await.until("it listens", relayStore::isListening);
    assertThat(relay.relay().awaitIdle(Duration.ofSeconds(30))).isTrue();
  }

  private UUID publishAndAwait(String key) throws Exception {
    UUID id = publish(key);
    await.until("delivered", () -> delivered.containsKey(id));
    return id;
  }

  private UUID publish(String key) throws Exception {
    Message message = Message.of("order").key(key).payload("text").build();
    return transactions.call(connection -> publisher.outbox().publish(message));
  }
}
