/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Posthorn;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StartStopStressTest {
  private static final String NAME = "stress";
  private static final Duration LONG = Duration.ofSeconds(20);

  private final InMemoryStore store = new InMemoryStore(Clock.systemUTC(), 4);
  private final InMemoryTransactions transactions = new InMemoryTransactions();
  private final AtomicInteger delivered = new AtomicInteger();
  private final ExecutorService threads = Executors.newFixedThreadPool(4);

  @AfterEach
  void noThreadStays() {
    threads.shutdownNow();
    RelayThreads.assertNone(NAME);
  }

  private Posthorn build() {
    return Posthorn.inOneProcess(store, transactions)
        .handler("mailer", "t", String.class, (payload, delivery) -> delivered.incrementAndGet())
        .relay(r -> r.name(NAME))
        .build();
  }

  private void runAll(List<Callable<Object>> tasks) throws Exception {
    for (Future<Object> done : threads.invokeAll(tasks)) {
      done.get();
    }
  }

  private static Callable<Object> call(Runnable action) {
    return Executors.callable(action);
  }

  @Test
  void manyStartsAndStopsLoseAndDoubleNothing() {
    for (int i = 1; i <= 40; i++) {
      Posthorn posthorn = build();
      posthorn.start();
      transactions.run(() -> posthorn.outbox().publish("t", "1"));
      if (i % 4 == 0) {
        assertThat(posthorn.relay().awaitIdle(LONG)).isTrue();
      }
      assertThat(posthorn.stop(LONG)).as("stop %d", i).isTrue();
    }

    assertThat(delivered.get() + store.rows().ready().size()).isEqualTo(40);
    assertThat(store.rows().instances()).isEmpty();
  }

  @Test
  void startsAndStopsAtTheSameTimeEndStopped() throws Exception {
    for (int i = 0; i < 25; i++) {
      Posthorn posthorn = build();
      List<Callable<Object>> tasks = new ArrayList<>();
      for (int n = 0; n < 2; n++) {
        tasks.add(call(() -> startIfAllowed(posthorn)));
        tasks.add(call(() -> posthorn.stop(LONG)));
      }
      runAll(tasks);
      assertThat(posthorn.stop(LONG)).isTrue();
      assertThat(store.rows().instances()).as("round %d", i).isEmpty();
    }
  }

  private static void startIfAllowed(Posthorn posthorn) {
    try {
      posthorn.start();
    } catch (IllegalStateException e) {
      assertThat(e).hasMessageContaining("was stopped");
    }
  }
}
