/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.DestinationDownException;
import io.posthorn.Handler;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.Transactions;
import io.posthorn.test.DeliveryLog;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Handlers that hang: real threads, short limits. */
class WatchdogTest {
  private static final String NAME = "watchdog-test";
  private static final Duration LIMIT = Duration.ofMillis(60);

  private final InMemoryStore store = new InMemoryStore(Clock.systemUTC(), 1);
  private final InMemoryTransactions transactions = new InMemoryTransactions();
  private final CountDownLatch release = new CountDownLatch(1);
  private final List<String> begun = new CopyOnWriteArrayList<>();
  private final DeliveryLog log = new DeliveryLog();
  private Posthorn posthorn;

  @AfterEach
  void stop() {
    release.countDown();
    posthorn.close();
    RelayThreads.assertNone(NAME);
  }

  private void start(int concurrency, Handler<String> handler) {
    start(concurrency, LIMIT, handler);
  }

  private void start(int concurrency, Duration limit, Handler<String> handler) {
    posthorn =
        Posthorn.inOneProcess(store, transactions)
            .handler(
                HandlerSpec.of("mailer", "t", String.class, handler)
                    .concurrency(concurrency)
                    .timeLimit(limit)
                    .retry(RetryPolicy.exponential(Duration.ofHours(1), Duration.ofHours(1), 3)))
            .handler("ledger", "t", String.class, (payload, delivery) -> {})
            .listener(log)
            .relay(options -> options.name(NAME))
            .start();
  }

  private void publish(String key, String payload) {
    transactions.run(
        () -> posthorn.outbox().publish(Message.of("t").key(key).payload(payload).build()));
  }

  private void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - deadline)
          .as("%s: begun %s, rows %s", what, begun, store.rows())
          .isNegative();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private void hang(String payload) {
    begun.add(payload);
    while (payload.startsWith("hang") && release.getCount() > 0) {
      try {
        release.await();
      } catch (InterruptedException e) {
        begun.add("interrupted " + payload); // and goes on hanging
      }
    }
  }

  private List<String> deliveredTo(String handler) {
    return log.delivered().stream()
        .filter(delivery -> delivery.handler().equals(handler))
        .map(Delivery::key)
        .toList();
  }

  @Test
  void aHandlerThatHeedsTheInterruptHasFailedOnce() {
    start(
        2,
        (payload, delivery) -> {
          begun.add(payload);
          if (payload.equals("slow")) {
            release.await();
          }
        });
    publish("k", "slow");
    publish("k", "next");

    await("retry", () -> !log.retrying().isEmpty());

    assertThat(log.retrying()).extracting(Delivery::attempt).containsExactly(1);
    await("settled", () -> store.rows().deferred().size() == 2);
    assertThat(store.rows().deferred().get(0).error()).contains("time limit").contains("PT0.06S");
    publish("other", "quick");
    await("the worker is whole again", () -> deliveredTo("mailer").contains("other"));
  }

  @Test
  void aHandlerThatSaysItsDestinationIsDownWhenInterruptedCostsNoAttempt() {
    AtomicBoolean silent = new AtomicBoolean(true);
    start(
        1,
        (payload, delivery) -> {
          begun.add(payload + " " + delivery.attempt());
          try {
            if (silent.get()) {
              release.await();
            }
          } catch (InterruptedException e) {
            throw new DestinationDownException("does not answer", e);
          }
        });
    publish("k", "slow");

    await("probed", () -> begun.size() > 2);
    silent.set(false);
    await("delivered", () -> deliveredTo("mailer").size() == 1);

    assertThat(log.retrying()).isEmpty();
    assertThat(begun).containsOnly("slow 1");
  }

  @Test
  void aWorkerWhoseFallbackHangsTooIsGivenUpOnce() {
    Handler<String> slow =
        (payload, delivery) -> {
          begun.add(payload);
          if (payload.equals("slow")) {
            release.await();
          }
        };
    posthorn =
        Posthorn.inOneProcess(store, transactions)
            .handler(
                HandlerSpec.of("mailer", "t", String.class, slow)
                    .concurrency(1)
                    .timeLimit(LIMIT)
                    .retry(RetryPolicy.none())
                    .fallback(
                        (payload, delivery, cause) -> {
                          begun.add("fallback");
                          release.await();
                        }))
            .relay(options -> options.name(NAME))
            .start();

    publish("k", "slow");
    await("dead", () -> !store.rows().dead().isEmpty());
    publish("k", "next");

    await("delivered", () -> begun.contains("next"));
    assertThat(begun).containsExactly("slow", "fallback", "next");
  }

  /** As drivers do, on virtual threads above all. */
  @Test
  void anInterruptThatBreaksTheConnectionOfATransactionalHandlerIsAFailedAttempt() {
    posthorn =
        Posthorn.inOneProcess(store, transactions)
            .handler(
                HandlerSpec.of(
                        "mailer",
                        "t",
                        String.class,
                        (payload, delivery) -> {
                          begun.add(payload);
                          try {
                            release.await();
                          } catch (InterruptedException e) {
                            throw StoreException.unavailable("the connection was closed", e);
                          }
                        })
                    .transactional()
                    .timeLimit(LIMIT)
                    .retry(RetryPolicy.fixed(Duration.ofHours(1), 3)))
            .listener(log)
            .relay(options -> options.name(NAME))
            .start();
    publish("k", "slow");

    await("begun again or retried", () -> begun.size() > 1 || !log.retrying().isEmpty());

    assertThat(begun).containsExactly("slow");
    assertThat(log.retrying()).extracting(Delivery::attempt).containsExactly(1);
    assertThat(posthorn.relay().status().handlers().get("mailer").circuitOpen()).isFalse();
  }

  @Test
  void itsLaneStaysOccupiedUntilItReallyReturnsAndOthersGoOn() {
    start(1, (payload, delivery) -> hang(payload));
    publish("k", "hang");
    await("interrupt", () -> begun.contains("interrupted hang"));
    publish("k", "behind");
    publish("other", "quick");

    await("ledger", () -> deliveredTo("ledger").size() == 3);
    assertThat(begun).as("with one worker lost it is paused").doesNotContain("behind", "quick");
    release.countDown();
    await("all", () -> deliveredTo("mailer").size() == 3);

    assertThat(begun).containsSubsequence("hang", "interrupted hang", "behind");
    assertThat(log.delivered()).as("it did return, and well").hasSize(6);
  }

  @Test
  void lostWorkersAreReplacedUpToALimit() {
    start(2, (payload, delivery) -> hang(payload));
    publish("a", "hang-a");
    await("first", () -> begun.contains("interrupted hang-a"));
    publish("b", "quick-b");
    await("stand-in", () -> deliveredTo("mailer").contains("b"));
    publish("c", "hang-c");
    await("second", () -> begun.contains("interrupted hang-c"));

    publish("d", "quick-d");
    await("ledger", () -> deliveredTo("ledger").size() == 4);

    assertThat(begun).as("two of two workers hang").doesNotContain("quick-d");
    release.countDown();
    await("all", () -> deliveredTo("mailer").size() == 4);
  }

  @Test
  void whileOneHangsAsManyDeliveriesRunAtOnceAsBefore() {
    CountDownLatch together = new CountDownLatch(2);
    start(
        2,
        Duration.ofSeconds(3), // enough for the two to meet
        (payload, delivery) -> {
          hang(payload);
          if (payload.startsWith("pair")) {
            together.countDown();
            assertThat(together.await(30, TimeUnit.SECONDS)).as("both at once").isTrue();
          }
        });
    publish("a", "hang-a");
    await("hangs", () -> begun.contains("interrupted hang-a"));

    publish("b", "pair-b");
    publish("c", "pair-c");

    await("both at once", () -> together.getCount() == 0);
  }

  @Test
  void aProbeThatHangsIsNotTheLastOne() { // issue 17
    AtomicBoolean down = new AtomicBoolean(true);
    start(
        2,
        (payload, delivery) -> {
          if (down.get()) {
            throw new DestinationDownException("down", null);
          }
          hang(payload);
        });
    publish("a", "hang-a");
    await("open", () -> !log.circuits().isEmpty());
    down.set(false);
    await("the probe hangs", () -> begun.contains("interrupted hang-a"));

    publish("b", "quick-b");

    await("another probe", () -> deliveredTo("mailer").contains("b"));
    await("told", () -> log.circuits().size() > 1);
    assertThat(log.circuits()).containsExactly("mailer opened", "mailer closed");
  }

  /** As a pool does that has no connection to give while the database is away. */
  @Test
  void aTransactionThatDoesNotBeginWithinTheTimeLimitCostsNoAttempt() { // issue 19
    CountDownLatch back = new CountDownLatch(1);
    Transactions slow =
        (Transactions)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Transactions.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("inTransaction") && back.getCount() > 0) {
                    begun.add("waits");
                    release.await(); // until it is interrupted
                  }
                  try {
                    return method.invoke(transactions, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    posthorn =
        Posthorn.inOneProcess(store, slow)
            .handler(
                HandlerSpec.of(
                        "mailer", "t", String.class, (payload, delivery) -> begun.add(payload))
                    .transactional()
                    .timeLimit(LIMIT)
                    .retry(RetryPolicy.none()))
            .listener(log)
            .relay(options -> options.name(NAME).probeInterval(Duration.ofMillis(10)))
            .start();
    publish("k", "late");
    await("two tries", () -> begun.size() >= 2);
    back.countDown();

    await("delivered", () -> log.delivered().size() == 1);

    assertThat(log.delivered()).extracting(Delivery::attempt).containsExactly(1);
    assertThat(store.rows().dead()).isEmpty();
  }
}
