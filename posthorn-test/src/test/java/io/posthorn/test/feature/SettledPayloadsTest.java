/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.spi.Envelope;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import java.lang.ref.WeakReference;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On real threads: what is settled can be collected as garbage. */
class SettledPayloadsTest {
  private static final int MESSAGES = 100;

  /** Threads at rest may still have the last ones on their stacks. */
  private static final int STILL_HELD = 10;

  private final InMemoryStore store = new InMemoryStore(Clock.systemUTC(), 4);
  private final InMemoryTransactions transactions = new InMemoryTransactions();
  private final CountDownLatch slowBegun = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final List<WeakReference<Envelope>> delivered = new CopyOnWriteArrayList<>();
  private final Posthorn posthorn =
      Posthorn.inOneProcess(store, transactions)
          .relay(relay -> relay.lateAfter(Duration.ofHours(1)))
          .handler(
              "slow",
              "t",
              byte[].class,
              (payload, delivery) -> {
                if (delivery.key().equals("first")) {
                  slowBegun.countDown();
                  goOn.await();
                }
              })
          .handler(
              "quick",
              "t",
              byte[].class,
              (payload, delivery) ->
                  delivered.add(new WeakReference<>(delivery.message().envelope())))
          .start();

  @AfterEach
  void stop() {
    goOn.countDown();
    posthorn.close();
  }

  private void publish(String key) {
    transactions.run(
        () -> posthorn.outbox().publish(Message.of("t").key(key).payload(new byte[1_000]).build()));
  }

  private static void await(BooleanSupplier truth) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!truth.getAsBoolean() && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private long reachable() {
    System.gc();
    return delivered.stream().filter(reference -> reference.get() != null).count();
  }

  @Test
  void messagesThatAreSettledAreNotKeptBehindAnOlderOneThatIsNot() throws Exception { // M5
    publish("first");
    assertThat(slowBegun.await(30, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < MESSAGES; i++) {
      publish("key-" + i);
    }
    await(() -> store.rows().ready().size() == 1);
    assertThat(store.rows().ready()).as("not settled").hasSize(1);

    await(() -> reachable() <= STILL_HELD);

    assertThat(reachable()).as("of %d messages", delivered.size()).isLessThanOrEqualTo(STILL_HELD);
  }
}
