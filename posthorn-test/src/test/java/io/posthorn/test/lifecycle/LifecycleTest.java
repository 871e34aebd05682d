/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Posthorn;
import io.posthorn.spi.DutyRunner;
import io.posthorn.spi.StoreException;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.StepRunner;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LifecycleTest {
  private static final String NAME = "lifecycle";
  private static final Duration LONG = Duration.ofSeconds(20);

  private final InMemoryStore rows = new InMemoryStore(Clock.systemUTC(), 4);
  private final FailingStore store = new FailingStore(rows);
  private final InMemoryTransactions transactions = new InMemoryTransactions();
  private final Posthorn posthorn = builder().build();

  private Posthorn.Builder builder() {
    return Posthorn.inOneProcess(store, transactions)
        .handler("mailer", "t", String.class, (payload, delivery) -> {})
        .relay(r -> r.name(NAME));
  }

  @AfterEach
  void stop() {
    posthorn.close();
    RelayThreads.assertNone(NAME);
  }

  @Test
  void buildingStartsNothing() {
    assertThat(RelayThreads.of(NAME)).isEmpty();
    assertThat(rows.rows().instances()).isEmpty();
  }

  @Test
  void startTwiceIsHarmless() {
    posthorn.start();
    int threads = RelayThreads.of(NAME).size();
    posthorn.start();

    assertThat(threads).isPositive();
    assertThat(RelayThreads.of(NAME)).hasSize(threads);
  }

  @Test
  void stopTwiceIsHarmless() {
    posthorn.start();

    assertThat(posthorn.stop(LONG)).isTrue();
    assertThat(posthorn.stop(LONG)).isTrue();
    posthorn.close();
  }

  @Test
  void aStoppedRelayHasLeftAndReleasedItsPartitions() {
    posthorn.start();
    assertThat(posthorn.relay().awaitIdle(LONG)).isTrue();
    posthorn.stop(LONG);

    assertThat(rows.rows().instances()).isEmpty();
    assertThat(rows.rows().partitions()).allMatch(partition -> partition.owner() == null);
  }

  @Test
  void stopBeforeStartIsLegal() {
    assertThat(posthorn.stop(LONG)).isTrue();
  }

  @Test
  void startAfterStopIsRefusedWithTheWayOut() {
    posthorn.stop(LONG);

    assertThatThrownBy(posthorn::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("\"lifecycle\" was stopped and can't be started again; build a new one");
    assertThat(RelayThreads.of(NAME)).isEmpty();
  }

  @Test
  void thereIsNoRelayBeforeTheStartAndAfterTheStop() {
    assertThatThrownBy(posthorn::relay)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("\"lifecycle\" has no running relay");
    posthorn.start();
    assertThatCode(posthorn::relay).doesNotThrowAnyException();
    posthorn.stop(LONG);
    assertThatThrownBy(posthorn::relay).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aProcessThatOnlyPublishesHasNoRelay() {
    try (Posthorn publisher = Posthorn.publishOnly(store, transactions).start()) {
      assertThatThrownBy(publisher::relay)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("it only publishes");
    }
  }

  @Test
  void aStartThatCannotOpenTheStoreUndoesItselfAndCanBeTriedAgain() {
    store.openFails = true;
    assertThatThrownBy(posthorn::start).isInstanceOf(StoreException.class);
    RelayThreads.assertNone(NAME);

    store.openFails = false;
    posthorn.start();
    assertThat(posthorn.relay().awaitIdle(LONG)).isTrue();
  }

  @Test
  void aStartWithoutAccessForTheRelayUndoesItself() {
    store.relayFails = true;
    assertThatThrownBy(posthorn::start).isInstanceOf(StoreException.class);
    RelayThreads.assertNone(NAME);

    store.relayFails = false;
    posthorn.start();
    assertThat(posthorn.relay().awaitIdle(LONG)).isTrue();
  }

  @Test
  void aStartThatFailsHalfWayStopsWhatWasStarted() {
    StepRunner steps = new StepRunner();
    AtomicInteger left = new AtomicInteger(2);
    AtomicInteger running = new AtomicInteger();
    DutyRunner failing =
        new DutyRunner() {
          @Override
          public RunningDuty start(io.posthorn.spi.Duty duty) {
            if (left.getAndDecrement() == 0) {
              throw new OutOfMemoryError("no native thread");
            }
            running.incrementAndGet();
            RunningDuty started = steps.start(duty);
            return new RunningDuty() {
              @Override
              public void nudge() {
                started.nudge();
              }

              @Override
              public boolean stop(Duration timeout) {
                running.decrementAndGet();
                return started.stop(timeout);
              }
            };
          }

          @Override
          public boolean await(BooleanSupplier condition, Duration timeout) {
            return steps.await(condition, timeout);
          }
        };
    Posthorn half = builder().relay(r -> r.name("half-way")).dutyRunner(failing).build();

    assertThatThrownBy(half::start).isInstanceOf(OutOfMemoryError.class);

    assertThat(running).hasValue(0);
    assertThat(rows.rows().instances()).isEmpty();
    RelayThreads.assertNone("half-way");
  }

  @Test
  void publishingWorksBeforeTheStartAndAfterTheStop() {
    transactions.run(() -> posthorn.outbox().publish("t", "1"));
    assertThat(rows.rows().ready()).hasSize(1);
    posthorn.start();
    assertThat(posthorn.relay().awaitIdle(LONG)).isTrue();
    assertThat(rows.rows().noMessages()).isTrue();
    posthorn.stop(LONG);

    transactions.run(() -> posthorn.outbox().publish("t", "2"));
    assertThat(rows.rows().ready()).hasSize(1);
  }

  @Test
  void settingsAreReadWhenTheOutboxIsBuilt() {
    Posthorn.Builder builder = builder();
    Posthorn first = builder.build();
    builder.publish(p -> p.maxPayloadBytes(1));

    assertThatCode(() -> transactions.run(() -> first.outbox().publish("t", "more than a byte")))
        .doesNotThrowAnyException();
  }

  @Test
  void stopNeedsATimeout() {
    assertThatThrownBy(() -> posthorn.stop(null)).hasMessage("timeout");
  }
}
