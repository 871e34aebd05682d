/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.posthorn.Delivery;
import io.posthorn.DestinationDownException;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.RelayOptions;
import io.posthorn.spi.StoreException;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.fault.FaultyStore;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CircuitTest {
  private static final Duration PROBE = Duration.ofSeconds(1);

  private final Scene scene = new Scene(1);
  private final List<Delivery> tried = new ArrayList<>();
  private final Set<String> downFor = new HashSet<>();
  private Exception down = new DestinationDownException("broker is away", null);
  private boolean away;

  @AfterEach
  void stop() {
    scene.close();
  }

  private HandlerSpec<String> mailer() {
    return HandlerSpec.of(
        "mailer",
        "t",
        String.class,
        (payload, delivery) -> {
          tried.add(delivery);
          if (away || downFor.contains(delivery.key())) {
            throw down;
          }
        });
  }

  private SteppedRelay relay(UnaryOperator<HandlerSpec<String>> settings) {
    return scene.relay("a", builder -> builder.handler(settings.apply(mailer())));
  }

  private static Message[] messages(int count, int keys) {
    return IntStream.range(0, count)
        .mapToObj(i -> message("t", "k" + i % keys, Integer.toString(i)))
        .toArray(Message[]::new);
  }

  @Test
  void probesRotateOverLanes() {
    SteppedRelay relay = relay(spec -> spec);
    relay.publish(messages(4, 4));
    away = true;

    relay.drain();
    relay.pass(Duration.ofSeconds(4));

    assertThat(tried).extracting(Delivery::key).contains("k0", "k1", "k2", "k3");
    assertThat(tried).allMatch(delivery -> delivery.attempt() == 1);
  }

  @Test
  void aMessageThatAlwaysFindsItsDestinationDownDoesNotKeepTheCircuitOpen() {
    downFor.add("k0");
    SteppedRelay relay = relay(spec -> spec);
    relay.publish(messages(6, 3));

    relay.drain();
    relay.pass(Duration.ofSeconds(12));

    assertThat(relay.log().delivered())
        .extracting(Delivery::key)
        .containsExactlyInAnyOrder("k1", "k1", "k2", "k2");
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(0);
  }

  @Test
  void aTransactionalHandlerIsTriedAtOnceWhenTheDatabaseIsBack() { // issue 17
    FaultyStore store = new FaultyStore(scene.store());
    SteppedRelay relay =
        scene.relay("a", store, builder -> builder.handler(mailer().transactional()));
    relay.drain();
    relay.publish(messages(4, 4));
    store.after(FaultyStore.Step.READ, () -> store.away(true));
    scene.clock().advance(PROBE);
    assertThat(catchThrowable(relay::drain)).isInstanceOf(StoreException.class);
    assertThat(relay.log().circuits()).containsExactly("mailer opened");

    store.away(false);
    relay.drain();

    assertThat(relay.log().circuits()).containsExactly("mailer opened", "mailer closed");
    assertThat(relay.log().delivered()).hasSize(4);
  }

  @Test
  void onlyOneProbeIsMadeAtATime() {
    SteppedRelay relay = relay(spec -> spec);
    relay.publish(messages(10, 10));
    away = true;
    relay.drain();
    int before = tried.size();

    scene.clock().advance(PROBE);
    relay.drain();
    relay.drain();

    assertThat(tried).hasSize(before + 1);
  }

  @Test
  void aHandlerThatThrowsSomethingElseEndsAsDeadLetters() {
    down = new IllegalStateException("just any exception");
    away = true;
    SteppedRelay relay = relay(spec -> spec);
    relay.publish(messages(5, 5));

    relay.drain();
    relay.pass(Duration.ofSeconds(30));

    assertThat(relay.log().circuits()).isEmpty();
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(5);
  }

  @Test
  void aHandlerDeclaresItsOwnDestinationErrors() {
    down = new ConnectException("refused");
    away = true;
    SteppedRelay relay = relay(spec -> spec.destinationDown(IOException.class));
    relay.publish(messages(2, 1));
    relay.drain();
    relay.pass(Duration.ofSeconds(60));
    assertThat(relay.log().circuits()).containsExactly("mailer opened");

    away = false;
    relay.pass(PROBE);

    assertThat(relay.log().circuits()).containsExactly("mailer opened", "mailer closed");
    assertThat(relay.log().delivered()).allMatch(delivery -> delivery.attempt() == 1).hasSize(2);
  }

  @Test
  void aTestOfErrorsThatThrowsDoesNotOpenTheCircuit() {
    down = new ConnectException("refused");
    away = true;
    SteppedRelay relay =
        relay(
            spec ->
                spec.destinationDown(
                    failure -> {
                      throw new IllegalStateException("bad test");
                    }));
    relay.publish(messages(1, 1));

    relay.drain();

    assertThat(relay.log().circuits()).isEmpty();
    assertThat(relay.log().retrying()).hasSize(1);
  }

  @Test
  void anotherFailureOfAProbeClosesTheCircuitAndCounts() {
    away = true;
    SteppedRelay relay = relay(spec -> spec);
    relay.publish(messages(1, 1));
    relay.drain();
    down = new IllegalStateException("the destination answers, but not well");

    relay.pass(PROBE);

    assertThat(relay.log().circuits()).containsExactly("mailer opened", "mailer closed");
    assertThat(relay.log().retrying()).extracting(Delivery::attempt).containsExactly(1);
  }

  @Test
  void anOpenCircuitPausesItsHandlerAloneAndTheReadyTableDrains() {
    List<Delivery> others = new ArrayList<>();
    away = true;
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .relay(options -> options.windowMessages(20))
                    .handler(mailer())
                    .handler(
                        "ledger", "t", String.class, (payload, delivery) -> others.add(delivery)));
    relay.publish(messages(500, 50));

    relay.drain();
    relay.pass(Duration.ofSeconds(20));

    assertThat(others).extracting(delivery -> delivery.message().seq()).isSorted().hasSize(500);
    assertThat(scene.rows().ready()).hasSizeLessThanOrEqualTo(20);
    assertThat(relay.posthorn().relay().status().inMemory()).isLessThanOrEqualTo(20);
    assertThat(relay.posthorn().relay().status().lanesInMemory()).isLessThanOrEqualTo(20);

    away = false;
    relay.publish(messages(50, 50));
    relay.pass(Duration.ofSeconds(10));

    for (int key = 0; key < 50; key++) {
      assertThat(relay.log().deliveredSeqs("mailer", "k" + key)).isSorted().hasSize(11);
    }
    assertThat(relay.log().delivered()).allMatch(delivery -> delivery.attempt() == 1).hasSize(1100);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void withNothingElseToRunRowsStayWhereTheyAre() {
    away = true;
    SteppedRelay relay =
        scene.relay(
            "a", builder -> builder.relay(options -> options.windowMessages(10)).handler(mailer()));
    relay.publish(messages(100, 10));

    relay.drain();
    relay.pass(Duration.ofSeconds(20));

    StoreAssert.assertThat(scene.rows()).hasReady(100);
    assertThat(scene.rows().deferred()).isEmpty();
  }

  @Test
  void aRestartWithAnOpenCircuitLosesNothingAndKeepsTheOrder() {
    away = true;
    SteppedRelay first =
        scene.relay(
            "a",
            builder ->
                builder
                    .relay(options -> options.windowMessages(20))
                    .handler(mailer())
                    .handler("ledger", "t", String.class, (payload, delivery) -> {}));
    first.publish(messages(200, 20));
    first.drain();
    first.close();
    SteppedRelay second =
        scene.relay(
            "b",
            builder ->
                builder
                    .relay(options -> options.windowMessages(20))
                    .handler(mailer())
                    .handler("ledger", "t", String.class, (payload, delivery) -> {}));
    second.drain();
    second.pass(Duration.ofSeconds(3));
    away = false;
    second.pass(Duration.ofSeconds(10));

    for (int key = 0; key < 20; key++) {
      assertThat(second.log().deliveredSeqs("mailer", "k" + key)).isSorted().hasSize(10);
    }
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aProbeThatHasExpiredTellsNothing() { // issue 17
    SteppedRelay relay = relay(spec -> spec);
    relay.publish(
        Message.of("t")
            .key("k0")
            .payload("short-lived")
            .expiresAt(scene.clock().instant().plus(PROBE))
            .build());
    away = true;

    relay.drain();
    relay.pass(Duration.ofSeconds(5));

    assertThat(relay.log().expired()).hasSize(1);
    assertThat(relay.log().circuits()).containsExactly("mailer opened");
  }

  /** The relay has a second handler, whose only message stands behind those of the first. */
  private void assertOtherGoesOn(Consumer<RelayOptions> narrow, String payload) {
    away = true;
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .relay(narrow)
                    .handler(mailer())
                    .handler("ledger", "u", String.class, (text, delivery) -> {}));
    for (int i = 0; i < 10; i++) {
      relay.publish(message("t", "k" + i, payload));
    }
    List<UUID> behind = relay.publish(message("u", "k", "behind"));

    relay.drain();
    relay.pass(Duration.ofSeconds(20));

    relay.log().assertDeliveredExactly("ledger", behind);
    int probes = tried.size();
    relay.pass(Duration.ofSeconds(5));
    assertThat(tried.size() - probes).as("probes").isBetween(3, 6);
    away = false;
    relay.pass(Duration.ofSeconds(10));
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void whatIsKeptForProbesDoesNotTakeASmallWindowFromOthers() { // issue 17
    assertOtherGoesOn(options -> options.windowMessages(4), "small");
  }

  @Test
  void whatIsKeptForProbesDoesNotTakeTheBytesFromOthers() { // issue 17
    assertOtherGoesOn(options -> options.windowBytes(64 * 1024), "x".repeat(20_000));
  }

  @Test
  void aLoggerThatThrowsCostsNoLane() { // issue 17, D4
    SteppedRelay relay = relay(spec -> spec);
    relay.publish(messages(1, 1));
    away = true;
    Logger logger = Logger.getLogger("io.posthorn.relay");
    ThrowingOnce thrower = new ThrowingOnce();
    logger.addHandler(thrower);
    try {
      relay.drain();
    } finally {
      logger.removeHandler(thrower);
    }
    away = false;

    relay.pass(Duration.ofSeconds(3));

    assertThat(thrower.thrown).isTrue();
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  private static final class ThrowingOnce extends Handler {
    boolean thrown;

    @Override
    public void publish(LogRecord line) {
      if (!thrown && line.getLevel().equals(Level.WARNING)) {
        thrown = true;
        throw new OutOfMemoryError("while a line is written");
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
