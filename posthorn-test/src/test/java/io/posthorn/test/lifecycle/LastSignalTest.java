/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Posthorn;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.WakeChannel;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.fault.FaultyStore;
import io.posthorn.test.fault.FaultyStore.Step;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Who stops says so, so that the others need not wait for their next look. */
class LastSignalTest {
  private static final String LEAVES = "leaves";
  private static final Duration SHORT = Duration.ofMillis(1);

  private final List<String> events = new CopyOnWriteArrayList<>();
  private final CountDownLatch released = new CountDownLatch(1);
  private final CountDownLatch leaves = new CountDownLatch(1);
  private volatile boolean stopping;

  /**
   * Notes what is sent. During the stop the first signal, that partitions were released, is still
   * under way when the relay leaves.
   */
  private final class NotingChannel implements WakeChannel {
    private final CountDownLatch closed = new CountDownLatch(1);

    @Override
    public void send(String signal) {
      events.add(signal);
      if (stopping) {
        released.countDown();
        await(leaves, Duration.ofSeconds(20));
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
      }
    }

    @Override
    public List<String> receive(Duration timeout) {
      await(closed, SHORT); // so that the stop does not wait for it
      return List.of();
    }

    @Override
    public void close() {
      events.add("closed");
      closed.countDown();
    }
  }

  private static void await(CountDownLatch latch, Duration limit) {
    try {
      latch.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private <T> T withSignals(Class<T> type, T store) {
    return type.cast(
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals("wakeChannel")) {
                return Optional.of(new NotingChannel());
              }
              try {
                Object result = method.invoke(store, arguments);
                return result instanceof RelayStore relay
                    ? withSignals(RelayStore.class, relay)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  @Test
  void theOthersAreToldThatTheRelayIsGone() {
    FaultyStore store = new FaultyStore(new InMemoryStore(Clock.systemUTC(), 8));
    store.before(
        Step.LEAVE,
        () -> {
          await(released, Duration.ofSeconds(20));
          events.add(LEAVES);
          leaves.countDown();
        });
    try (Posthorn posthorn =
        Posthorn.inOneProcess(withSignals(MessageStore.class, store), new InMemoryTransactions())
            .handler("mailer", "t", String.class, (payload, delivery) -> {})
            .start()) {
      assertThat(posthorn.relay().awaitIdle(Duration.ofSeconds(20))).isTrue();
      stopping = true;
    }

    assertThat(events.subList(events.indexOf(LEAVES), events.size()))
        .as("all: %s", events)
        .containsSubsequence(LEAVES, "l", "closed");
  }
}
