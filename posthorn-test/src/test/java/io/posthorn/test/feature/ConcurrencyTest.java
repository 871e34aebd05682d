/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On real threads. */
class ConcurrencyTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private final InMemoryStore store = new InMemoryStore(Clock.systemUTC(), 4);
  private final InMemoryTransactions transactions = new InMemoryTransactions();
  private final Semaphore startedDeliveries = new Semaphore(0);
  private final CountDownLatch release = new CountDownLatch(1);
  private final Set<String> threadNames = ConcurrentHashMap.newKeySet();
  private Posthorn posthorn;

  @AfterEach
  void stop() {
    release.countDown();
    posthorn.close();
  }

  private HandlerSpec<String> waiting() {
    return HandlerSpec.of(
        "mailer",
        "t",
        String.class,
        (payload, delivery) -> {
          threadNames.add(Thread.currentThread().getName());
          startedDeliveries.release();
          release.await();
        });
  }

  private void start(HandlerSpec<?> handler, Consumer<Posthorn.Builder> settings) {
    Posthorn.Builder builder = Posthorn.inOneProcess(store, transactions).handler(handler);
    settings.accept(builder);
    posthorn = builder.start();
  }

  private void publish(int count) {
    transactions.run(
        () ->
            posthorn
                .outbox()
                .publishAll(
                    IntStream.range(0, count).mapToObj(i -> Message.of("t").build()).toList()));
  }

  private void assertRunningAtOnce(int count) throws InterruptedException {
    assertThat(startedDeliveries.tryAcquire(count, 20, TimeUnit.SECONDS)).isTrue();
    assertThat(posthorn.relay().awaitIdle(Duration.ofMillis(200))).isFalse();
    assertThat(startedDeliveries.availablePermits()).as("more than %d", count).isZero();
    release.countDown();
    assertThat(posthorn.relay().awaitIdle(LONG)).isTrue();
    assertThat(store.rows().noMessages()).isTrue();
  }

  @Test
  void aHandlerRunsNoMoreDeliveriesAtOnceThanItSays() throws Exception {
    start(waiting().concurrency(2), builder -> {});
    publish(6);

    assertRunningAtOnce(2);
  }

  @Test
  void aHandlerWithoutALimitRunsAsManyAsTheRelayHasWorkers() throws Exception {
    start(waiting(), builder -> builder.relay(r -> r.workers(3)));
    publish(6);

    assertRunningAtOnce(3);
  }

  @Test
  void deliveriesOfOneKeyNeverRunAtOnce() throws Exception {
    start(waiting(), builder -> {});
    transactions.run(
        () ->
            posthorn
                .outbox()
                .publishAll(
                    List.of(Message.of("t").key("k").build(), Message.of("t").key("k").build())));

    assertRunningAtOnce(1);
  }

  @Test
  void handlersRunOnTheUsersExecutorWhichOutlivesTheRelay() throws Exception {
    ExecutorService executor =
        Executors.newFixedThreadPool(2, task -> new Thread(task, "of-the-user"));
    try {
      start(waiting(), builder -> builder.relay(r -> r.executor(executor)));
      publish(1);
      assertRunningAtOnce(1);
      posthorn.close();

      assertThat(threadNames).containsExactly("of-the-user");
      assertThat(executor.isShutdown()).isFalse();
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  void anExecutorThatRefusesForAWhileCostsNoMessage() {
    AtomicInteger calls = new AtomicInteger();
    release.countDown();
    start(
        waiting(),
        builder ->
            builder.relay(
                r ->
                    r.pollInterval(Duration.ofMillis(20))
                        .busyPollInterval(Duration.ofMillis(10))
                        .workers(1)
                        .executor(
                            task -> {
                              switch (calls.incrementAndGet()) {
                                case 1 -> throw new RejectedExecutionException("full");
                                case 2 -> throw new OutOfMemoryError("no native thread");
                                case 3 -> throw new IllegalStateException("bug");
                                default -> task.run();
                              }
                            })));
    publish(3);

    assertThat(posthorn.relay().awaitIdle(LONG)).isTrue();
    assertThat(store.rows().noMessages()).isTrue();
  }

  @Test
  void aListenerThatFailsWithAnErrorCostsNoWorker() {
    List<String> got = new CopyOnWriteArrayList<>();
    start(
        HandlerSpec.of("mailer", "t", String.class, (payload, delivery) -> got.add("got")),
        builder ->
            builder
                .relay(r -> r.workers(1))
                .listener(
                    new io.posthorn.spi.RelayListener() {
                      @Override
                      public void delivered(io.posthorn.Delivery delivery) {
                        throw new NoClassDefFoundError("metrics");
                      }
                    }));
    publish(3);

    assertThat(posthorn.relay().awaitIdle(LONG)).isTrue();
    assertThat(got).hasSize(3);
    assertThat(store.rows().noMessages()).isTrue();
  }
}
