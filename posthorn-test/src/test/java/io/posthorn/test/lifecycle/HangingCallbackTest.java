/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.Route;
import io.posthorn.spi.DeliveryInterceptor;
import io.posthorn.spi.Outgoing;
import io.posthorn.spi.RelayListener;
import io.posthorn.spi.Sender;
import io.posthorn.test.InMemorySender;
import io.posthorn.test.feature.Scene;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A callback of the user's that hangs when the answer of a broker is dealt with holds up its own
 * key only (issue 18).
 */
@Timeout(120)
class HangingCallbackTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int KEYS = 40;

  private final Scene scene = new Scene(4);
  private final InMemorySender broker = new InMemorySender();
  private final CountDownLatch hanging = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);
  private final AtomicBoolean first = new AtomicBoolean(true);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private volatile CountDownLatch gate = new CountDownLatch(0);

  @AfterEach
  void noThreadStays() throws Exception {
    release.countDown();
    threads.shutdownNow();
    assertThat(threads.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
    RelayThreads.assertNone("b");
  }

  private void run(Runnable task) {
    CountDownLatch open = gate;
    threads.execute(
        () -> {
          try {
            open.await();
            task.run();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the test is over
          }
        });
  }

  /** The first one that comes here stays until the end of the test, whoever interrupts it. */
  private void hangOnce() {
    if (!first.compareAndSet(true, false)) {
      return;
    }
    hanging.countDown();
    while (release.getCount() > 0) {
      try {
        release.await();
      } catch (InterruptedException e) {
        // as code does that knows no better
      }
    }
  }

  private static final class Quick implements Sender {
    private final InMemorySender broker;

    Quick(InMemorySender broker) {
      this.broker = broker;
    }

    @Override
    public CompletionStage<?> send(Outgoing message) {
      return broker.send(message);
    }

    @Override
    public Duration timeout() {
      return Duration.ofSeconds(1);
    }
  }

  private Posthorn start(Consumer<Posthorn.Builder> settings) {
    Posthorn.Builder builder =
        Posthorn.inOneProcess(scene.store(), scene.transactions())
            .clock(scene.clock())
            .ticker(scene.clock().ticker())
            .sender("kafka", new Quick(broker))
            .route(Route.type("t").to("kafka"))
            .relay(relay -> relay.name("b").executor(this::run));
    settings.accept(builder);
    return builder.start();
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("nanoseconds after the limit").isNegative();
      Thread.onSpinWait();
    }
  }

  /** Two messages of each key; when the first ones are answered, a callback hangs for one. */
  private void otherKeysGoOn(Consumer<Posthorn.Builder> settings) throws Exception {
    broker.holdAnswers();
    try (Posthorn posthorn = start(settings)) {
      scene.publish(
          posthorn,
          IntStream.range(0, 2 * KEYS)
              .mapToObj(i -> Scene.message("t", "k" + i % KEYS, "" + i))
              .toArray(Message[]::new));
      await(() -> broker.underWay().size() == KEYS);
      gate = new CountDownLatch(1); // one worker finds all the answers
      broker.answerAll();
      gate.countDown();
      hanging.await();

      scene.clock().advance(Duration.ofSeconds(8)); // beyond the sender's timeout and its grace

      await(() -> broker.sent().size() + broker.underWay().size() == 2 * KEYS - 1);
      release.countDown();
      await(() -> broker.sent().size() + broker.underWay().size() == 2 * KEYS);
      broker.answerAll();
      await(() -> scene.rows().ready().isEmpty());
    }
  }

  @Test
  void aListenerThatHangsHoldsItsKeyOnly() throws Exception {
    otherKeysGoOn(
        builder ->
            builder.listener(
                new RelayListener() {
                  @Override
                  public void delivered(Delivery delivery) {
                    hangOnce();
                  }
                }));
  }

  @Test
  void anInterceptorThatHangsHoldsItsKeyOnly() throws Exception {
    otherKeysGoOn(
        builder ->
            builder.interceptor(
                new DeliveryInterceptor() {
                  @Override
                  public Consumer<Throwable> suspend(Delivery delivery) {
                    return failure -> hangOnce();
                  }
                }));
  }
}
