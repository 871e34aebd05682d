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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Seqs are drawn a second time: a standby took over that had not received the last commits, an
 * older backup was restored, or somebody set the sequence back.
 */
@Timeout(120)
class SequenceSetBackDbTest {
  private static final Duration SOON = Duration.ofSeconds(2);

  private final LiveDatabase database = LiveDatabase.onSharedServer();
  private final HikariDataSource pool = database.pool("publisher", 4);
  private final JdbcTransactions transactions = new JdbcTransactions(pool);
  private final Posthorn publisher =
      Posthorn.publishOnly(LiveDatabase.store(pool).build(), transactions).build();
  private final Map<UUID, Long> cameAt = new ConcurrentHashMap<>();
  private final List<String> deliveries = new ArrayList<>(); // guarded by itself
  private final CountDownLatch began = new CountDownLatch(1);
  private final CountDownLatch mayEnd = new CountDownLatch(1);
  private final Await await = new Await(() -> database.describe() + "\n" + deliveries);
  private Posthorn relay;

  @AfterEach
  void stop() {
    mayEnd.countDown();
    relay.close();
    publisher.close();
    database.close();
  }

  private void startRelay(String name) {
    HikariDataSource own = database.pool(name, 20);
    relay =
        Posthorn.inOneProcess(LiveDatabase.store(own).build(), new JdbcTransactions(own))
            .relay(options -> options.name(name))
            .handler("mailer", "order", String.class, this::take)
            .start();
  }

  private void take(String text, Delivery delivery) throws InterruptedException {
    if (text.equals("old")) {
      began.countDown();
      assertThat(mayEnd.await(60, TimeUnit.SECONDS)).isTrue();
    }
    synchronized (deliveries) {
      deliveries.add(text);
    }
    cameAt.put(delivery.messageId(), System.nanoTime());
  }

  @Test
  void messagesAreDeliveredSoonAfterTheSequenceWasSetBackUnderARunningRelay() throws Exception {
    startRelay("running");
    deliverMany();
    setSequence(1);

    assertDeliveredSoon(publishAgain(), System.nanoTime());
  }

  @Test
  void messagesAreDeliveredSoonAfterTheSequenceWasSetBackWhileNoRelayRan() throws Exception {
    startRelay("first");
    deliverMany();
    relay.close();
    setSequence(1);
    List<UUID> published = publishAgain();
    startRelay("second");

    assertDeliveredSoon(published, System.nanoTime());
    long now = System.nanoTime();
    assertDeliveredSoon(publishAgain(), now);
  }

  /** Until what was delivered first is long past. */
  private void deliverMany() throws Exception {
    for (int i = 0; i < 50; i++) {
      List<UUID> some = publish(20, "before");
      await.until("delivered", () -> cameAt.keySet().containsAll(some));
    }
    await.until("settled", () -> relay.relay().status().inMemory() == 0);
  }

  private List<UUID> publishAgain() throws Exception {
    return publish(20, "again");
  }

  private List<UUID> publish(int count, String text) throws Exception {
    List<Message> messages = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      messages.add(Message.of("order").key("customer-" + i % 10).payload(text + " " + i).build());
    }
    return transactions.call(connection -> publisher.outbox().publishAll(messages));
  }

  private void setSequence(long next) {
    database.list("SELECT setval('outbox_seq', " + next + ", false)");
  }

  private void assertDeliveredSoon(List<UUID> messages, long begun) {
    await.until("delivered", () -> cameAt.keySet().containsAll(messages));
    assertThat(messages)
        .allSatisfy(
            message -> assertThat(Duration.ofNanos(cameAt.get(message) - begun)).isLessThan(SOON));
    // Each key twice, in the order of publishing.
    synchronized (deliveries) {
      for (int i = 0; i < 10; i++) {
        String first = "again " + i;
        String second = "again " + (i + 10);
        assertThat(deliveries.indexOf(first)).isLessThan(deliveries.indexOf(second));
      }
    }
  }

  /** The old message is in memory when another one gets its seq. */
  @Test
  void messageWithASeqThatWasDrawnBeforeIsNotTakenForTheOldOne() throws Exception {
    startRelay("failover");
    transactions.run(
        connection ->
            publisher.outbox().publish(Message.of("order").key("k").payload("old").build()));
    assertThat(began.await(30, TimeUnit.SECONDS)).isTrue();
    // What a promoted standby looks like that had not received that commit, and has drawn the seq
    // again. In one step: a relay that saw the sequence set back would read everything anew.
    UUID fresh = UUID.randomUUID();
    database.execute(
        "UPDATE outbox_message SET id = '%s', payload = decode('6e6577', 'hex')".formatted(fresh));
    database.list(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'failover'");
    letTheRelayReadIt();

    mayEnd.countDown();

    await.until("the new one is delivered", () -> cameAt.containsKey(fresh));
    await.until("and settled", () -> database.number("SELECT count(*) FROM outbox_message") == 0);
    synchronized (deliveries) {
      assertThat(deliveries).filteredOn("new"::equals).hasSize(1);
    }
  }

  /** A message that came after it, of another key of the same partition, has been delivered. */
  private void letTheRelayReadIt() throws Exception {
    long partition = database.number("SELECT partition_no FROM outbox_message");
    database.execute(
        """
        INSERT INTO outbox_message (partition_no, id, type, message_key, content_type, payload, occurred_at, created_at)
        VALUES (%d, gen_random_uuid(), 'order', 'neighbour', 'text/plain', decode('6e', 'hex'), now(), now())
        """
            .formatted(partition));
    await.until(
        "the relay reads on",
        () -> {
          synchronized (deliveries) {
            return deliveries.contains("n");
          }
        });
  }
}
