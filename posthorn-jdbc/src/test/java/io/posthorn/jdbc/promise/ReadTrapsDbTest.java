/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.test.StoreAssert;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The traps of reading: rows become visible out of seq order, and dead index entries pile up before
 * the live ones.
 */
class ReadTrapsDbTest extends OneDatabase {
  private final List<Delivery> received = new ArrayList<>();

  private SteppedRelay recording(String name) {
    return relay(
        name,
        builder ->
            builder.handler(
                HANDLER, TYPE, String.class, (text, delivery) -> received.add(delivery)));
  }

  /** One writer draws its seq and is slow to commit; the others do not wait for it. */
  private final class SlowWriter implements AutoCloseable {
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final CountDownLatch written = new CountDownLatch(1);
    private final CountDownLatch mayCommit = new CountDownLatch(1);
    private final Future<UUID> done;

    SlowWriter(String key) throws Exception {
      done =
          thread.submit(
              () -> {
                try (Connection connection = transactions.begin()) {
                  UUID id = publisher.outbox().publish(message(key));
                  transactions.current().beforeCommit(this::waitForPermission);
                  connection.commit();
                  return id;
                }
              });
      assertThat(written.await(30, TimeUnit.SECONDS)).isTrue();
    }

    private void waitForPermission() {
      written.countDown();
      try {
        assertThat(mayCommit.await(30, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    UUID commit() throws Exception {
      mayCommit.countDown();
      return done.get(30, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
      mayCommit.countDown();
      thread.shutdownNow();
    }
  }

  @Test
  void aRowThatBecomesVisibleLateIsFoundByLookingBack() throws Exception {
    SteppedRelay relay = recording("a");
    relay.drain();
    try (SlowWriter slow = new SlowWriter("slow")) {
      List<UUID> others = publish("quick", 20);
      relay.drain();
      assertThat(received).extracting(Delivery::messageId).containsExactlyElementsOf(others);
      UUID late = slow.commit();
      database.clock().advance(Duration.ofMillis(50));
      relay.drain();
      relay.log().assertDelivered(HANDLER, late);
    }
  }

  @Test
  void aRowThatBecomesVisibleVeryLateIsFoundByASweep() throws Exception {
    SteppedRelay relay = recording("a");
    relay.drain();
    try (SlowWriter slow = new SlowWriter("slow")) {
      for (int i = 0; i < 8; i++) { // far beyond the look-back
        publish("quick", 2);
        database.clock().advance(Duration.ofMillis(500));
        relay.drain();
      }
      assertThat(received).hasSize(16);
      UUID late = slow.commit();
      database.clock().advance(Duration.ofSeconds(10)); // relay.sweep-interval
      relay.drain();
      relay.log().assertDelivered(HANDLER, late);
      StoreAssert.assertThat(database.rows()).hasNoMessages();
    }
  }

  /** While batches are full the relay must look back too. */
  @Test
  void aLateRowIsFoundWhileBatchesAreFull() throws Exception {
    SteppedRelay relay =
        relay(
            "a",
            builder ->
                builder
                    .relay(options -> options.windowMessages(64))
                    .handler(
                        HANDLER,
                        TYPE,
                        String.class,
                        (text, delivery) -> {
                          received.add(delivery);
                          database.clock().advance(Duration.ofMillis(2));
                        }));
    relay.steps().step("lease");
    try (SlowWriter slow = new SlowWriter("k")) {
      publish("k", 300);
      relay.steps().step("read");
      relay.steps().step("settle");
      UUID late = slow.commit();
      relay.drain();
      int position = received.stream().map(Delivery::messageId).toList().indexOf(late);
      assertThat(position).as("found long before the end").isBetween(0, 200);
      assertThat(received).hasSize(301);
    }
  }

  /** The floor: reads do not begin at dead index entries that nobody can remove yet. */
  @Test
  void readsDoNotWalkOverWhatWasDelivered() throws Exception {
    SteppedRelay relay = recording("a");
    relay.drain();
    try (Connection pinning = database.dataSource().getConnection()) {
      pinning.setAutoCommit(false);
      pinning.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      pinning.createStatement().executeQuery("SELECT count(*) FROM outbox_message").close();
      transactions.run(
          connection -> {
            for (int i = 0; i < 20_000; i++) {
              publisher.outbox().publish(message("k"));
            }
          });
      relay.drain();
      assertThat(received).hasSize(20_000);
      database.clock().advance(Duration.ofSeconds(1));
      relay.drain(); // moves the floors on
      database.clock().advance(Duration.ofSeconds(1));
      relay.drain();
      database.execute("SELECT pg_stat_force_next_flush()");
      long before = blocksRead();
      for (int i = 0; i < 5; i++) {
        publish("k");
        relay.drain();
        database.clock().advance(Duration.ofMillis(100));
      }
      assertThat(received).hasSize(20_005);
      assertThat(blocksRead() - before)
          .as("blocks touched for five messages, with 20,000 dead rows in the index")
          .isLessThan(1_500);
      pinning.rollback();
    }
  }

  /** Blocks that reads and deletes of the ready table have touched, cached or not. */
  private long blocksRead() {
    database.execute("SELECT pg_stat_force_next_flush()");
    return database.number(
        "SELECT idx_blks_hit + idx_blks_read + heap_blks_hit + heap_blks_read FROM pg_statio_user_tables WHERE relname = 'outbox_message'");
  }
}
