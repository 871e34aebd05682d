/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Handler;
import io.posthorn.Posthorn;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.feature.LoggedLines;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HangingHandlerTest {
  private static final String NAME = "hanging";

  private final InMemoryStore store = new InMemoryStore(Clock.systemUTC(), 4);
  private final InMemoryTransactions transactions = new InMemoryTransactions();
  private final CountDownLatch started = new CountDownLatch(1);
  private final CountDownLatch interrupted = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);

  @AfterEach
  void noThreadStays() {
    release.countDown();
    RelayThreads.assertNone(NAME);
  }

  private Posthorn startAndHang(Handler<String> handler) throws InterruptedException {
    return startAndHang(handler, new AtomicReference<>());
  }

  private Posthorn startAndHang(Handler<String> handler, AtomicReference<Posthorn> made)
      throws InterruptedException {
    Posthorn posthorn =
        Posthorn.inOneProcess(store, transactions)
            .handler("mailer", "t", String.class, handler)
            .relay(r -> r.name(NAME))
            .start();
    made.set(posthorn);
    transactions.run(() -> posthorn.outbox().publish("t", "1"));
    assertThat(started.await(20, TimeUnit.SECONDS)).isTrue();
    return posthorn;
  }

  @Test
  void aHandlerThatIgnoresTheInterruptKeepsItsPartition() throws Exception {
    Posthorn posthorn =
        startAndHang(
            (payload, delivery) -> {
              started.countDown();
              while (release.getCount() > 0) {
                try {
                  release.await();
                } catch (InterruptedException e) {
                  interrupted.countDown();
                }
              }
            });

    try (LoggedLines log = new LoggedLines()) {
      assertThat(posthorn.stop(Duration.ofMillis(50))).isFalse();
      assertThat(log.with("stopped: 1 deliveries interrupted, 3 partitions returned; the others"))
          .hasSize(1);
    }

    assertThat(interrupted.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(store.rows().instances()).as("nobody may deliver beside it").hasSize(1);
    assertThat(store.rows().partitions())
        .filteredOn(partition -> partition.owner() != null)
        .hasSize(1);
    assertThat(store.rows().ready()).hasSize(1);
  }

  @Test
  void aHandlerThatHeedsTheInterruptIsHandedOverUndelivered() throws Exception {
    Posthorn posthorn =
        startAndHang(
            (payload, delivery) -> {
              started.countDown();
              try {
                release.await();
              } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
              }
            });

    assertThat(posthorn.stop(Duration.ofMillis(50))).isTrue();

    assertThat(interrupted.getCount()).isZero();
    assertThat(store.rows().instances()).isEmpty();
    assertThat(store.rows().ready()).as("no attempt is counted").hasSize(1);
    assertThat(store.rows().deferred()).isEmpty();
  }

  @Test
  void stopWaitsForADeliveryThatEndsInTime() throws Exception {
    Posthorn posthorn =
        startAndHang(
            (payload, delivery) -> {
              started.countDown();
              release.await();
            });
    Thread releasing = new Thread(release::countDown);
    releasing.start();

    assertThat(posthorn.stop(Duration.ofSeconds(20))).isTrue();

    releasing.join();
    assertThat(interrupted.getCount()).isEqualTo(1);
    assertThat(store.rows().noMessages()).isTrue();
  }

  @Test
  void aHandlerThatSteersWhileTheRelayStopsIsNotWaitedForInVain() throws Exception { // issue 17
    AtomicReference<Posthorn> made = new AtomicReference<>();
    Posthorn posthorn =
        startAndHang(
            (payload, delivery) -> {
              started.countDown();
              while (!retired()) {
                LockSupport.parkNanos(1_000_000);
              }
              made.get().admin().lanes().block("mailer", "k");
            },
            made);

    assertThat(posthorn.stop(Duration.ofSeconds(20))).isTrue();

    assertThat(store.rows().ready()).isEmpty();
  }

  /** The relay has told the others that it stops. */
  private boolean retired() {
    return store.rows().instances().stream().allMatch(live -> live.handlers().isEmpty());
  }
}
