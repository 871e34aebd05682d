/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.lifecycle;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Handler;
import io.posthorn.Posthorn;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayListener;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class HandOverTest {
  private static final int PARTITIONS = 8;
  private static final Duration LONG = Duration.ofSeconds(20);

  private final InMemoryStore rows = new InMemoryStore(Clock.systemUTC(), PARTITIONS);
  private final InMemoryTransactions transactions = new InMemoryTransactions();

  private Posthorn relay(String name, RelayListener listener, Handler<String> handler) {
    return Posthorn.inOneProcess(rows, transactions)
        .handler("mailer", "t", String.class, handler)
        .listener(listener)
        .relay(r -> r.name(name))
        .start();
  }

  @Test
  void aDeliveryThatTakesLongKeepsOnlyItsOwnPartitionFromTheOtherRelay() throws Exception {
    CompletableFuture<Integer> busy = new CompletableFuture<>();
    CountDownLatch goOn = new CountDownLatch(1);
    Takes takes = new Takes();
    ExecutorService stopper = Executors.newSingleThreadExecutor();
    try (Posthorn stopping =
            relay(
                "stopping",
                new RelayListener() {},
                (payload, delivery) -> {
                  busy.complete(delivery.message().partition());
                  goOn.await();
                });
        Posthorn other = relay("other", takes, (payload, delivery) -> {})) {
      assertThat(stopping.relay().awaitIdle(LONG)).isTrue();
      transactions.run(() -> stopping.outbox().publish("t", "1"));
      int itsPartition = busy.get(20, SECONDS);
      Future<Boolean> stopped = stopper.submit(() -> stopping.stop(LONG));

      assertThat(takes.allButOne.await(10, SECONDS)).as("taken: %s", takes.taken).isTrue();
      assertThat(takes.taken).doesNotContain(itsPartition);

      goOn.countDown();
      assertThat(stopped.get(20, SECONDS)).isTrue();
      assertThat(other.relay().awaitIdle(LONG)).isTrue();
    } finally {
      goOn.countDown();
      stopper.shutdown();
    }
  }

  private static final class Takes implements RelayListener {
    final Set<Integer> taken = ConcurrentHashMap.newKeySet();
    final CountDownLatch allButOne = new CountDownLatch(PARTITIONS - 1);

    @Override
    public void taken(PartitionOwner partition) {
      if (taken.add(partition.partition())) {
        allButOne.countDown();
      }
    }
  }
}
