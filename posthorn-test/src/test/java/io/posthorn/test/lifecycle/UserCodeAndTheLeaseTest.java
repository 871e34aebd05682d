/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.DeliveryResult;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.UnreadableMessages;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.feature.LoggedLines;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The user's code that the reader asks may hang: the relay keeps its lease, and can be asked. */
@Timeout(120)
class UserCodeAndTheLeaseTest {
  private static final int BEATS = 10;

  private final InMemoryStore rows = new InMemoryStore(Clock.systemUTC(), 4);
  private final InMemoryTransactions transactions = new InMemoryTransactions();
  private final Semaphore heartbeats = new Semaphore(0);
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch answer = new CountDownLatch(1);
  private Posthorn posthorn;

  @AfterEach
  void stop() {
    answer.countDown();
    posthorn.close();
  }

  private Posthorn.Builder relay() {
    return Posthorn.inOneProcess(counting(MessageStore.class, rows), transactions)
        .publish(options -> options.acceptUnhandledTypes(true))
        .relay(
            options ->
                options
                    .leaseDuration(Duration.ofSeconds(3))
                    .heartbeatInterval(Duration.ofMillis(50)));
  }

  private <T> T counting(Class<T> type, T target) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              try {
                Object result = method.invoke(target, arguments);
                if (method.getName().equals("heartbeat")) {
                  heartbeats.release();
                }
                return result instanceof RelayStore relay
                    ? counting(RelayStore.class, relay)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private void hang() {
    asked.countDown();
    try {
      answer.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void publishAndAwaitHeartbeats() throws Exception {
    try (LoggedLines log = new LoggedLines()) {
      hangAndAwaitHeartbeats();
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (log.with("duty \"read\" failed: its pass has not ended for").isEmpty()) {
        assertThat(System.nanoTime() - end).as("nanoseconds after the limit").isNegative();
        Thread.onSpinWait();
      }
      assertThat(log.with("duty \"read\" failed").get(0).thrown())
          .hasStackTraceContaining("UserCodeAndTheLeaseTest.hang");
    }
  }

  private void hangAndAwaitHeartbeats() throws Exception {
    transactions.run(() -> posthorn.outbox().publish(Message.of("t").key("k").build()));
    assertThat(asked.await(30, TimeUnit.SECONDS)).as("asked").isTrue();
    heartbeats.drainPermits();

    assertThat(heartbeats.tryAcquire(BEATS, 30, TimeUnit.SECONDS)).as("heartbeats").isTrue();
    assertThat(posthorn.relay().status().leaseValid()).isTrue();
  }

  @Test
  void aHandlersChoiceOfMessagesThatHangsDoesNotStopHeartbeats() throws Exception {
    posthorn =
        relay()
            .handler(
                HandlerSpec.generic(
                    "choosy",
                    envelope -> {
                      if (isOnReader()) { // publishing asks too
                        hang();
                      }
                      return true;
                    },
                    (payload, delivery) -> {}))
            .start();

    publishAndAwaitHeartbeats();
  }

  private static boolean isOnReader() {
    return Thread.currentThread().getName().contains("read");
  }

  @Test
  void aDecisionOnAnUnknownTypeThatHangsDoesNotStopHeartbeats() throws Exception {
    posthorn =
        relay()
            .handler("other", "other-type", String.class, (payload, delivery) -> {})
            .unreadableMessages(
                new UnreadableMessages() {
                  @Override
                  public DeliveryResult unknownType(
                      Envelope message, Duration waited, Duration grace) {
                    hang();
                    return DeliveryResult.ignored();
                  }
                })
            .start();

    publishAndAwaitHeartbeats();
  }
}
