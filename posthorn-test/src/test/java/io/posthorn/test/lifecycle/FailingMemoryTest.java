/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Posthorn;
import io.posthorn.Route;
import io.posthorn.spi.Ticker;
import io.posthorn.test.InMemorySender;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.feature.LoggedLines;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An error within the relay's memory, when a worker hands in what it has done, would leave keys
 * that nobody delivers: the relay gives up its lease, and another one takes over (issue 18).
 */
@Timeout(120)
class FailingMemoryTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final InMemoryStore store = new InMemoryStore(Clock.systemUTC(), 4);
  private final InMemoryTransactions transactions = new InMemoryTransactions();
  private final AtomicBoolean armed = new AtomicBoolean();
  private final AtomicBoolean thrown = new AtomicBoolean();

  @AfterEach
  void noThreadStays() {
    RelayThreads.assertNone("broken");
    RelayThreads.assertNone("healthy");
  }

  /** Has no memory left, once, when this asks for the time. */
  private Ticker failing(String type, String method) {
    return () -> {
      if (armed.get() && isCalledBy(type, method) && armed.compareAndSet(true, false)) {
        thrown.set(true);
        throw new OutOfMemoryError("as a test wants it");
      }
      return System.nanoTime();
    };
  }

  private static boolean isCalledBy(String type, String method) {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames.anyMatch(
                    frame ->
                        frame.getClassName().endsWith("." + type)
                            && frame.getMethodName().equals(method)));
  }

  private Posthorn.Builder relay(String name) {
    return Posthorn.inOneProcess(store, transactions)
        .relay(
            relay ->
                relay
                    .name(name)
                    .leaseDuration(Duration.ofSeconds(3))
                    .heartbeatInterval(Duration.ofMillis(500)));
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("nanoseconds after the limit").isNegative();
      Thread.onSpinWait();
    }
  }

  /** After the error, the other relay delivers what the first one had in its memory. */
  private void takenOver(
      Posthorn.Builder broken, Posthorn.Builder healthy, Consumer<Posthorn> publish) {
    try (LoggedLines log = new LoggedLines();
        Posthorn first = broken.start()) {
      await(() -> first.relay().status().epochs().size() == 4);
      armed.set(true);
      publish.accept(first);
      await(thrown::get);
      await(() -> !log.with("Restart this process").isEmpty());
      try (Posthorn second = healthy.start()) {
        await(() -> second.relay().status().epochs().size() == 4);
        assertThat(first.relay().status().leaseValid()).isFalse();
        await(() -> store.rows().ready().isEmpty());
      }
    }
  }

  @Test
  void anErrorWhenAWorkerHandsInWhatItHasDoneGivesUpTheLease() {
    takenOver(
        relay("broken")
            .ticker(failing("WorkDispatcher", "nextBatch"))
            .handler("mailer", "t", String.class, (payload, delivery) -> {}),
        relay("healthy").handler("mailer", "t", String.class, (payload, delivery) -> {}),
        posthorn -> transactions.run(() -> posthorn.outbox().publish("t", "1")));
  }

  @Test
  void anErrorWhenAnAnswerIsHandedInGivesUpTheLease() {
    InMemorySender sender = new InMemorySender();
    sender.holdAnswers();
    takenOver(
        relay("broken")
            .ticker(failing("WorkDispatcher", "ended"))
            .sender("kafka", sender)
            .route(Route.type("t").to("kafka")),
        relay("healthy").sender("kafka", new InMemorySender()).route(Route.type("t").to("kafka")),
        posthorn -> {
          transactions.run(() -> posthorn.outbox().publish("t", "1"));
          await(() -> !sender.underWay().isEmpty());
          sender.answerAll();
        });
  }

  @Test
  void anErrorWhenMessagesThatWereReadComeToMemoryGivesUpTheLease() {
    takenOver(
        relay("broken")
            .ticker(failing("ReadyIntake", "accept"))
            .handler("mailer", "t", String.class, (payload, delivery) -> {}),
        relay("healthy").handler("mailer", "t", String.class, (payload, delivery) -> {}),
        posthorn -> transactions.run(() -> posthorn.outbox().publish("t", "1")));
  }
}
