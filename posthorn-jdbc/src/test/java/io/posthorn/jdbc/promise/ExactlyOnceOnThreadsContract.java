/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.DestinationDownException;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.jdbc.fault.Await;
import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same as {@link ExactlyOnceContract} on real threads, in real time. */
@Timeout(120)
abstract class ExactlyOnceOnThreadsContract {
  private static final int KEYS = 100;
  private static final Duration STOP = Duration.ofSeconds(20);
  private static final RetryPolicy SOON = RetryPolicy.fixed(Duration.ofMillis(50), 10);

  private final List<Posthorn> running = new CopyOnWriteArrayList<>();
  private OrderEffects orders;
  private Await await;

  protected abstract TestDatabase openDatabase();

  @BeforeEach
  void open() {
    orders = new OrderEffects(openDatabase());
    await = new Await(orders::evidence);
  }

  @AfterEach
  void close() {
    orders.calm();
    running.forEach(Posthorn::close);
    orders.close();
  }

  private Posthorn start(String name) {
    return start(name, orders::handlers);
  }

  private Posthorn start(String name, Consumer<Posthorn.Builder> handlers) {
    return start(name, orders.store(), handlers);
  }

  private Posthorn start(String name, MessageStore store, Consumer<Posthorn.Builder> handlers) {
    Posthorn.Builder builder =
        Posthorn.inOneProcess(store, orders.transactions())
            .relay(
                relay ->
                    relay
                        .name(name)
                        .lateAfter(Duration.ofMillis(200))
                        .pollInterval(Duration.ofMillis(200))
                        .retry(SOON));
    handlers.accept(builder);
    Posthorn posthorn = builder.start();
    running.add(posthorn);
    return posthorn;
  }

  private void finish() {
    await.until("all is settled", orders::allSettled);
    orders.assertEffectsOnce();
  }

  private boolean owns(String name) {
    return orders.database().rows().partitions().stream()
        .map(PartitionOwner::owner)
        .filter(Objects::nonNull)
        .map(RelayIdentity::id)
        .anyMatch(name::equals);
  }

  @Test
  void withoutAnyFault() throws Exception {
    start("a");
    orders.publish(KEYS);
    orders.publish(KEYS);

    finish();
    orders.assertNoDuplicates();
  }

  @ParameterizedTest
  @ValueSource(strings = {OrderEffects.LEDGER, OrderEffects.AUDIT, OrderEffects.MAILER})
  void whileOneHandlerFailsNowAndThen(String failing) throws Exception {
    AtomicInteger count = new AtomicInteger();
    orders.during(
        failing,
        delivery -> {
          if (count.incrementAndGet() % 3 == 0) {
            throw new IllegalStateException("as planned");
          }
        });
    start("a");
    orders.publish(KEYS);
    orders.publish(KEYS);

    finish();
    assertThat(count.get()).isGreaterThan(2 * KEYS);
  }

  @ParameterizedTest
  @ValueSource(strings = {OrderEffects.LEDGER, OrderEffects.AUDIT, OrderEffects.MAILER})
  void whileTheDestinationOfOneHandlerIsDown(String down) throws Exception {
    CountDownLatch tried = new CountDownLatch(1);
    orders.during(
        down,
        delivery -> {
          tried.countDown();
          throw new DestinationDownException("as planned", null);
        });
    start(
        "a",
        builder -> {
          builder.relay(relay -> relay.windowMessages(20));
          orders.handlers(builder);
        });
    orders.publish(KEYS);
    assertThat(tried.await(30, TimeUnit.SECONDS)).isTrue();
    orders.publish(KEYS);
    orders.calm();

    finish();
  }

  @Test
  void besideAnInstanceWithAHandlerThatThisOneLacks() throws Exception {
    start("new", orders::handlersOfNewVersion);
    await.until("the new version has joined", () -> owns("new"));
    Posthorn old = start("old");
    await.until("the old version has partitions", () -> owns("old"));
    orders.publish(KEYS);
    orders.publish(KEYS);
    assertThat(old.stop(STOP)).isTrue();

    finish();
    orders.assertArchivedOnce();
    orders.assertNoDuplicates();
  }

  @Test
  void whilePartitionsChangeHandsAndRelaysAreRestarted() throws Exception {
    Posthorn last = start("relay-0");
    for (int i = 1; i <= 5; i++) {
      orders.publish(KEYS / 2);
      Posthorn next = start("relay-" + i);
      orders.publish(KEYS / 2);
      assertThat(last.stop(STOP)).isTrue();
      last = next;
    }

    finish();
    orders.assertNoDuplicates();
  }

  @ParameterizedTest
  @ValueSource(strings = {OrderEffects.LEDGER, OrderEffects.AUDIT})
  void whenARelayIsExpelledDuringADelivery(String busy) throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    orders.duringNext(
        busy,
        delivery -> {
          begun.countDown();
          if (!goOn.await(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("nobody let it go on");
          }
        });
    Posthorn frozen = start("frozen");
    orders.publish(KEYS);
    assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
    orders.database().execute("DELETE FROM outbox_instance WHERE id = 'frozen'");
    start("b");
    await.until("another relay has partitions", () -> owns("b"));
    goOn.countDown();
    assertThat(frozen.stop(STOP)).isTrue();

    finish();
  }
}
