/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.HandlerSpec;
import io.posthorn.Posthorn;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FairShareTest {
  private static final Duration LATE = Duration.ofSeconds(5);

  private final Scene scene = new Scene(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch started = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);
  private final List<String> slowGot = new CopyOnWriteArrayList<>();
  private final List<String> fastGot = new CopyOnWriteArrayList<>();

  @AfterEach
  void stop() {
    release.countDown();
    scene.close();
    threads.shutdownNow();
  }

  /** The slow handler takes "slow" and "both", and waits at its first delivery. */
  private SteppedRelay relay(Consumer<Posthorn.Builder> settings) {
    return scene.relay(
        "a",
        builder -> {
          builder
              .handler(
                  HandlerSpec.of(
                          "slow",
                          "slow",
                          String.class,
                          (payload, delivery) -> {
                            slowGot.add(payload);
                            started.countDown();
                            release.await();
                          })
                      .alsoType("both")
                      .concurrency(1))
              .handler(
                  HandlerSpec.of(
                          "fast", "fast", String.class, (payload, delivery) -> fastGot.add(payload))
                      .alsoType("both"))
              .relay(r -> r.windowMessages(4).lateAfter(LATE));
          settings.accept(builder);
        });
  }

  /** Time stands still. */
  private void runUntil(SteppedRelay relay, BooleanSupplier condition) {
    runUntil(relay, condition, Duration.ZERO);
  }

  /**
   * @param pace how much time passes at each turn
   */
  private void runUntil(SteppedRelay relay, BooleanSupplier condition, Duration pace) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime())
          .as("in time, but found %s and %s", relay.posthorn().relay().status(), scene.rows())
          .isLessThan(deadline);
      scene.clock().advance(pace);
      relay.drain();
      Thread.onSpinWait();
    }
  }

  private static void publishMany(SteppedRelay relay, String type, int count) {
    for (int i = 1; i <= count; i++) {
      relay.publish(message(type, "key-" + i % 3, type + i));
    }
  }

  @Test
  void aPausedHandlerDoesNotTakeTheWindowFromAnother() {
    SteppedRelay relay = relay(builder -> {});
    relay.posthorn().admin().fleet().pauseHandler("slow");
    release.countDown();
    publishMany(relay, "slow", 10);
    publishMany(relay, "fast", 2);

    runUntil(relay, () -> fastGot.size() == 2);
    assertThat(slowGot).isEmpty();

    relay.posthorn().admin().fleet().resumeHandler("slow");
    runUntil(relay, () -> scene.rows().noMessages());
    assertThat(slowGot).hasSize(10).doesNotHaveDuplicates();
    for (int key = 0; key < 3; key++) {
      assertThat(relay.log().deliveredSeqs("slow", "key-" + key)).isSorted();
    }
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aSlowHandlerGivesUpTheWindowWhenItIsLate() throws Exception {
    SteppedRelay relay = relay(builder -> builder.relay(r -> r.executor(threads)));
    publishMany(relay, "slow", 10);
    publishMany(relay, "fast", 2);
    relay.drain();
    assertThat(started.await(20, TimeUnit.SECONDS)).isTrue();
    relay.drain();
    assertThat(fastGot).as("the window is full").isEmpty();

    runUntil(relay, () -> fastGot.size() == 2, LATE);

    release.countDown();
    runUntil(relay, () -> slowGot.size() == 10 && scene.rows().noMessages());
    for (int key = 0; key < 3; key++) {
      assertThat(relay.log().deliveredSeqs("slow", "key-" + key)).isSorted();
    }
  }

  @Test
  void aMessageThatOneHandlerIsLateWithIsSplit() throws Exception {
    SteppedRelay relay = relay(builder -> builder.relay(r -> r.executor(threads)));
    relay.publish(message("both", "k", "1"), message("both", "k", "2"));
    relay.drain();
    assertThat(started.await(20, TimeUnit.SECONDS)).isTrue();
    runUntil(relay, () -> fastGot.size() == 2);
    assertThat(scene.rows().ready()).as("not late yet").hasSize(2);

    scene.clock().advance(LATE);
    runUntil(relay, () -> scene.rows().ready().isEmpty());

    assertThat(scene.rows().deferred())
        .extracting(row -> row.handler() + " " + row.reason() + " " + row.attempts())
        .containsExactly("slow HELD 0", "slow HELD 0");

    release.countDown();
    runUntil(relay, () -> scene.rows().noMessages());
    assertThat(slowGot).containsExactly("1", "2");
    assertThat(fastGot).containsExactly("1", "2");
  }

  @Test
  void memoryStaysWithinTheWindow() {
    SteppedRelay relay = relay(builder -> {});
    relay.posthorn().admin().fleet().pauseHandler("slow");
    relay.posthorn().admin().fleet().pauseHandler("fast");
    publishMany(relay, "slow", 10);

    relay.drain();

    assertThat(relay.posthorn().relay().status().inMemory()).isEqualTo(4);
    assertThat(scene.rows().ready()).hasSize(10);
  }

  @Test
  void oneDeliveryThatTakesLongDoesNotKeepItsOthersBehindAPausedHandler() throws Exception {
    SteppedRelay relay =
        relay(
            builder ->
                builder
                    .relay(options -> options.executor(threads).windowMessages(10))
                    .handler(
                        "paused",
                        "paused",
                        String.class,
                        (payload, delivery) -> fastGot.add(payload))
                    .handler(
                        HandlerSpec.of(
                            "long",
                            "long",
                            String.class,
                            (payload, delivery) -> {
                              slowGot.add(payload);
                              if (payload.equals("long1")) {
                                started.countDown();
                                release.await();
                              }
                            })));
    relay.posthorn().admin().fleet().pauseHandler("paused");
    relay.posthorn().admin().fleet().pauseHandler("slow");
    relay.posthorn().admin().fleet().pauseHandler("fast");
    relay.publish(message("long", "a", "long1"));
    relay.drain();
    assertThat(started.await(20, TimeUnit.SECONDS)).isTrue();
    publishMany(relay, "paused", 30);
    relay.publish(message("long", "b", "long2"));

    relay.drain();
    scene.clock().advance(LATE);

    runUntil(relay, () -> slowGot.contains("long2")); // issue 17
    assertThat(fastGot).isEmpty();
  }
}
