/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.DestinationDownException;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.jdbc.fixture.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Promise 8 for several handlers of a type and several types of a key, step by step: each effect of
 * a transactional handler is in the database once, whatever happens to the other handlers, and no
 * row is left behind.
 */
abstract class ExactlyOnceContract {
  private static final Duration TICK = Duration.ofMillis(500);
  private static final int TICKS = 300;

  private final List<QueuedRelay> instances = new ArrayList<>();
  private OrderEffects orders;

  protected abstract TestDatabase openDatabase();

  @BeforeEach
  void open() {
    orders = new OrderEffects(openDatabase());
  }

  @AfterEach
  void close() {
    orders.calm();
    instances.forEach(QueuedRelay::close);
    orders.close();
  }

  private QueuedRelay instance(String name) {
    return instance(name, orders::handlers);
  }

  private QueuedRelay instance(String name, Consumer<Posthorn.Builder> settings) {
    QueuedRelay instance = new QueuedRelay(name, orders, settings);
    instances.add(instance);
    return instance;
  }

  private void pass(Duration time, QueuedRelay... running) {
    for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plus(TICK)) {
      for (QueuedRelay instance : running) {
        instance.runOnce();
      }
      orders.database().clock().advance(TICK);
    }
  }

  private void finish(QueuedRelay... running) {
    for (int tick = 0; tick < TICKS && !orders.allSettled(); tick++) {
      pass(TICK, running);
    }
  }

  /** As another thread, which has no transaction. */
  private static void elsewhere(ThrowingRunnable work) throws Exception {
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              work.run();
              return null;
            });
    new Thread(task).start();
    task.get(60, TimeUnit.SECONDS);
  }

  private interface ThrowingRunnable {
    void run() throws Exception;
  }

  @Test
  void withoutAnyFault() throws Exception {
    orders.publish(10);
    QueuedRelay a = instance("a");
    pass(TICK, a);
    orders.publish(10);

    finish(a);

    orders.assertEffectsOnce();
    orders.assertNoDuplicates();
  }

  @ParameterizedTest
  @ValueSource(strings = {OrderEffects.LEDGER, OrderEffects.AUDIT, OrderEffects.MAILER})
  void whileOneHandlerIsAtWorkTheOthersAreSettled(String busy) throws Exception {
    orders.publish(1);
    orders.publish(1);
    QueuedRelay a = instance("a");
    orders.duringNext(busy, delivery -> elsewhere(() -> pass(Duration.ofSeconds(10), a)));

    finish(a);

    orders.assertEffectsOnce();
    orders.assertNoDuplicates();
  }

  @ParameterizedTest
  @ValueSource(strings = {OrderEffects.LEDGER, OrderEffects.AUDIT, OrderEffects.MAILER})
  void whileOneHandlerFails(String failing) throws Exception {
    orders.publish(5);
    QueuedRelay a = instance("a");
    orders.during(
        failing,
        delivery -> {
          throw new IllegalStateException("as planned");
        });
    pass(Duration.ofSeconds(5), a);
    orders.publish(5);
    pass(Duration.ofSeconds(5), a);
    orders.calm();

    finish(a);

    orders.assertEffectsOnce();
  }

  @ParameterizedTest
  @ValueSource(strings = {OrderEffects.LEDGER, OrderEffects.AUDIT, OrderEffects.MAILER})
  void whileTheDestinationOfOneHandlerIsDown(String down) throws Exception {
    orders.publish(20);
    QueuedRelay a =
        instance(
            "a",
            builder -> {
              builder.relay(options -> options.windowMessages(10));
              orders.handlers(builder);
            });
    orders.during(
        down,
        delivery -> {
          throw new DestinationDownException("as planned", null);
        });
    pass(Duration.ofSeconds(10), a);
    orders.publish(20);
    pass(Duration.ofSeconds(10), a);
    orders.calm();

    finish(a);

    orders.assertEffectsOnce();
  }

  @Test
  void besideAnInstanceWithAHandlerThatThisOneLacks() throws Exception {
    QueuedRelay fresh = instance("new", orders::handlersOfNewVersion);
    QueuedRelay old = instance("old");
    pass(Duration.ofSeconds(5), fresh, old);
    orders.publish(20);
    pass(Duration.ofSeconds(5), fresh, old);
    orders.publish(20);
    pass(TICK, fresh, old);
    old.stop();

    finish(fresh);

    orders.assertEffectsOnce();
    orders.assertArchivedOnce();
    orders.assertNoDuplicates();
  }

  @ParameterizedTest
  @ValueSource(strings = {OrderEffects.LEDGER, OrderEffects.AUDIT, OrderEffects.MAILER})
  void whenPartitionsChangeHandsDuringADelivery(String busy) throws Exception {
    orders.publish(10);
    QueuedRelay a = instance("a");
    a.step("lease");
    a.step("read");
    QueuedRelay b = instance("b");
    orders.duringNext(
        busy,
        delivery ->
            elsewhere(
                () -> {
                  pass(Duration.ofSeconds(2), b, a);
                  orders.publish(10);
                  pass(Duration.ofSeconds(2), b, a);
                }));

    finish(a, b);

    orders.assertEffectsOnce();
    orders.assertNoDuplicates();
    assertThat(b.relay().log().delivered()).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"stops", "dies"})
  void whenTheRelayEndsAfterAnyStepAndAnotherGoesOn(String end) throws Exception {
    List<String> steps = List.of("lease", "read", "work", "settle", "work", "read", "settle");
    for (int count = 1; count <= 2 * steps.size(); count++) {
      orders.publish(2);
      QueuedRelay instance = instance("relay-" + count);
      for (int i = 0; i < count; i++) {
        String step = steps.get(i % steps.size());
        if (step.equals("work")) {
          instance.work();
        } else {
          instance.step(step);
        }
      }
      if (end.equals("stops")) {
        instance.stop();
      } else {
        orders.database().clock().advance(SteppedRelay.LEASE.plusSeconds(1));
      }
    }

    finish(instance("last"));

    orders.assertEffectsOnce();
  }

  @ParameterizedTest
  @ValueSource(strings = {OrderEffects.LEDGER, OrderEffects.AUDIT, OrderEffects.MAILER})
  void whenTheRelayIsExpelledDuringADelivery(String busy) throws Exception {
    orders.publish(5);
    QueuedRelay a = instance("a");
    QueuedRelay b = instance("b");
    orders.duringNext(
        busy,
        delivery -> {
          orders.database().clock().advance(SteppedRelay.LEASE.plusSeconds(1));
          elsewhere(() -> finish(b));
          assertThat(orders.allSettled()).as("settled by the other relay").isTrue();
        });
    a.step("lease");
    a.step("read");

    finish(a, b);
    pass(Duration.ofSeconds(2), a, b);

    orders.assertEffectsOnce();
    assertThat(a.relay().log().expelled()).isNotEmpty();
  }
}
