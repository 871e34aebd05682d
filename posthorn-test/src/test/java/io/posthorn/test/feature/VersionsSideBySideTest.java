/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.Handler;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two versions of an application on one store: the old one has handler A, the new one A, B and the
 * generic C, which wants some messages only. Whoever owns the partitions, each handler gets each
 * message that it wants once, and nothing is buried that a live instance can handle.
 */
class VersionsSideBySideTest {
  private static final Duration GRACE = Duration.ofMinutes(2);
  private static final List<String> KEYS = List.of("42", "k1", "k4", "order-1");

  private final Scene scene = new Scene(4);
  private final List<Delivery> received = new ArrayList<>();
  private final Posthorn publisher =
      Posthorn.publishOnly(scene.store(), scene.transactions()).clock(scene.clock()).build();

  @AfterEach
  void stop() {
    scene.close();
  }

  private <P> Handler<P> receive() {
    return (payload, delivery) -> received.add(delivery);
  }

  private SteppedRelay relay(String name, Consumer<Posthorn.Builder> handlers) {
    return scene.relay(
        name, handlers.andThen(builder -> builder.relay(r -> r.unknownTypeGrace(GRACE))));
  }

  private SteppedRelay oldVersion(String name) {
    return relay(name, builder -> builder.handler("A", "t", String.class, receive()));
  }

  private SteppedRelay newVersion(String name) {
    return relay(
        name,
        builder ->
            builder
                .handler("A", "t", String.class, receive())
                .handler("B", "t", String.class, receive())
                .handler(
                    HandlerSpec.generic(
                        "C", envelope -> envelope.headers().containsKey("c"), receive())));
  }

  private void together(SteppedRelay... relays) {
    together(Duration.ofSeconds(3), relays);
  }

  private void together(Duration time, SteppedRelay... relays) {
    for (long second = 0; second < time.toSeconds(); second++) {
      scene.clock().advance(Duration.ofSeconds(1));
      for (SteppedRelay relay : relays) {
        relay.drain();
      }
    }
  }

  private static Message forC(String type, String key) {
    return Message.of(type).key(key).header("c", "1").payload("x").build();
  }

  /** For each key and without one: a message that C does not want, and one that it wants. */
  private List<UUID> publishAll(String type) {
    List<UUID> ids = new ArrayList<>();
    for (String key : KEYS) {
      ids.addAll(scene.publish(publisher, message(type, key, "x"), forC(type, key)));
    }
    ids.addAll(scene.publish(publisher, message(type, null, "x"), forC(type, null)));
    return ids;
  }

  private List<UUID> receivedBy(String handler) {
    return received.stream()
        .filter(delivery -> delivery.handler().equals(handler))
        .map(Delivery::messageId)
        .toList();
  }

  private void assertEachGotItsOwnOnce(List<UUID> all) {
    List<UUID> wantedByC = new ArrayList<>();
    for (int i = 1; i < all.size(); i += 2) {
      wantedByC.add(all.get(i));
    }
    assertThat(receivedBy("A")).as("A").containsExactlyInAnyOrderElementsOf(all);
    assertThat(receivedBy("B")).as("B").containsExactlyInAnyOrderElementsOf(all);
    assertThat(receivedBy("C")).as("C").containsExactlyInAnyOrderElementsOf(wantedByC);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @ParameterizedTest
  @ValueSource(strings = {"old first", "new first"})
  void eachHandlerGetsWhatItWantsOnceWhenTheOldVersionStops(String order) {
    boolean oldFirst = order.startsWith("old");
    SteppedRelay first = oldFirst ? oldVersion("1") : newVersion("1");
    together(first);
    SteppedRelay second = oldFirst ? newVersion("2") : oldVersion("2");
    together(first, second);
    SteppedRelay old = oldFirst ? first : second;
    SteppedRelay fresh = oldFirst ? second : first;

    List<UUID> all = publishAll("t");
    together(first, second);
    assertThat(scene.rows().deferred())
        .as("rows for handlers of the new version in partitions of the old one")
        .extracting(row -> row.handler() + " " + row.reason())
        .contains("B WAITING", "C WAITING");
    all.addAll(publishAll("t"));
    old.close();
    together(fresh);

    assertEachGotItsOwnOnce(all);
    for (String key : KEYS) {
      assertThat(received)
          .filteredOn(delivery -> key.equals(delivery.key()) && delivery.handler().equals("B"))
          .extracting(delivery -> delivery.message().seq())
          .isSorted();
    }
  }

  @Test
  void whatAHandlerDoesNotWantIsSettledWithoutADelivery() {
    SteppedRelay old = oldVersion("old");
    together(old);
    SteppedRelay fresh = newVersion("fresh");
    together(old, fresh);
    KEYS.forEach(key -> scene.publish(publisher, message("t", key, "x")));
    together(old, fresh);
    old.close();
    together(fresh);

    assertThat(receivedBy("C")).isEmpty();
    assertThat(fresh.log().delivered())
        .extracting(Delivery::handler)
        .doesNotContain("C")
        .contains("B");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aHandlerThatFailsToSayWhetherItWantsARowGetsADeadLetter() {
    SteppedRelay old = oldVersion("old");
    together(old);
    SteppedRelay fresh =
        relay(
            "fresh",
            builder ->
                builder
                    .handler("A", "t", String.class, receive())
                    .handler(
                        HandlerSpec.generic(
                            "C",
                            envelope -> {
                              throw new IllegalStateException("bug in supports");
                            },
                            receive())));
    together(old, fresh);
    KEYS.forEach(key -> scene.publish(publisher, message("t", key, "x")));
    together(old);
    old.close();
    together(fresh);

    assertThat(receivedBy("A")).hasSize(4);
    assertThat(scene.rows().dead())
        .hasSize(4)
        .allMatch(dead -> dead.handler().equals("C") && dead.error().contains("bug in supports"));
    assertThat(scene.rows().deferred()).isEmpty();
  }

  @Test
  void aMessageThatOnlyAGenericHandlerElsewhereMayWantIsNotBuriedWhileThatInstanceLives() {
    SteppedRelay old = oldVersion("old");
    together(old);
    SteppedRelay fresh = newVersion("fresh");
    together(old, fresh);
    KEYS.forEach(key -> scene.publish(publisher, forC("u", key)));

    together(GRACE.multipliedBy(3), old, fresh);
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(0);
    assertThat(scene.rows().deferred()).as("those of the old one's partitions").hasSize(2);

    old.close();
    together(Duration.ofSeconds(35), fresh);
    assertThat(receivedBy("C")).hasSize(4);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void noPolicyIsAskedAboutItWhileThatInstanceLives() {
    SteppedRelay old =
        scene.relay(
            "old",
            builder ->
                builder
                    .handler("A", "t", String.class, receive())
                    .relay(r -> r.unknownTypeGrace(Duration.ZERO)));
    together(old);
    SteppedRelay fresh = newVersion("fresh");
    together(old, fresh);
    KEYS.forEach(key -> scene.publish(publisher, forC("u", key)));
    together(Duration.ofSeconds(65), old, fresh);
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(0);
    old.close();
    together(Duration.ofSeconds(35), fresh);

    assertThat(receivedBy("C")).hasSize(4);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void itsGraceBeginsWhenThatInstanceIsGone() {
    SteppedRelay old = oldVersion("old");
    together(old);
    SteppedRelay fresh = newVersion("fresh");
    together(old, fresh);
    KEYS.forEach(key -> scene.publish(publisher, message("u", key, "x")));
    together(GRACE.minusSeconds(55), old, fresh);
    fresh.close();

    together(GRACE.minusSeconds(10), old);
    assertThat(scene.rows().dead()).as("from the partitions that were the new one's").hasSize(2);
    together(Duration.ofSeconds(45), old);
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(4);
  }

  // --- one handler, other types

  private SteppedRelay mailer(String name, String... types) {
    return relay(
        name,
        builder -> {
          HandlerSpec<String> spec = HandlerSpec.of("M", types[0], String.class, receive());
          for (String type : types) {
            spec = spec.alsoType(type);
          }
          builder.handler(spec);
        });
  }

  private void publishTurns() {
    for (String key : KEYS) {
      scene.publish(
          publisher, message("t", key, "1"), message("added", key, "2"), message("t", key, "3"));
    }
    scene.publish(publisher, message("added", null, "2"));
  }

  @Test
  void aTypeThatAHandlerTakesInTheNewVersionOnlyWaitsForItInTheOrderOfItsKey() {
    SteppedRelay old = mailer("old", "t");
    together(old);
    SteppedRelay fresh = mailer("fresh", "t", "added");
    together(old, fresh);
    publishTurns();

    together(GRACE.plusMinutes(1), old, fresh);
    assertThat(old.log().delivered()).extracting(Delivery::type).containsOnly("t");
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(0);
    old.close();
    together(Duration.ofSeconds(35), fresh);

    assertThat(received).hasSize(13);
    for (String key : KEYS) {
      assertThat(received)
          .filteredOn(delivery -> key.equals(delivery.key()))
          .extracting(Delivery::type)
          .containsExactly("t", "added", "t");
    }
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void ifTheNewVersionIsTakenBackTheLaneGoesOnAndTheMessageWaitsForTheGrace() {
    SteppedRelay old = mailer("old", "t");
    together(old);
    SteppedRelay fresh = mailer("fresh", "t", "added");
    together(old, fresh);
    publishTurns();
    together(old);
    assertThat(scene.rows().deferred()).isNotEmpty();
    fresh.close();

    together(Duration.ofSeconds(70), old);
    assertThat(received).extracting(Delivery::type).containsOnly("t").hasSize(8);
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(0);
    KEYS.forEach(key -> scene.publish(publisher, message("t", key, "4")));
    together(old);
    assertThat(received).as("later ones go on").hasSize(12);
    together(GRACE.plusSeconds(30), old);

    assertThat(scene.rows().deferred()).isEmpty();
    assertThat(scene.rows().dead())
        .extracting(dead -> dead.type())
        .containsOnly("added")
        .hasSize(5);
  }

  @Test
  void aRetryOfATypeThatTheNextOwnerDoesNotTakeIsLeftToTheOneThatDoes() {
    SteppedRelay fresh =
        relay(
            "fresh",
            builder ->
                builder.handler(
                    HandlerSpec.<String>of(
                            "M",
                            "added",
                            String.class,
                            (text, delivery) -> {
                              received.add(delivery);
                              if (!delivery.isRetry()) {
                                throw new IllegalStateException("first");
                              }
                            })
                        .alsoType("t")));
    together(fresh);
    KEYS.forEach(key -> fresh.publish(message("added", key, "x")));
    fresh.steps().step("read");
    fresh.steps().step("settle");
    SteppedRelay old = mailer("old", "t");
    for (int i = 0; i < 40; i++) {
      old.drain();
      fresh.drain();
      scene.clock().advance(Duration.ofSeconds(1));
    }

    assertThat(old.log().delivered()).isEmpty();
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(0);
    old.close();
    together(Duration.ofSeconds(35), fresh);
    assertThat(fresh.log().delivered()).hasSize(4).allMatch(Delivery::isRetry);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  // --- renamed types

  @Test
  void aTypeThatWasRenamedReachesTheHandlersOfBothVersionsByEitherName() {
    SteppedRelay old =
        relay(
            "old",
            builder ->
                builder
                    .handler("M", "before", String.class, receive())
                    .handler("removed", "before", String.class, receive()));
    together(old);
    SteppedRelay fresh =
        relay(
            "fresh",
            builder ->
                builder.handler("M", "after", String.class, receive()).alias("before", "after"));
    together(old, fresh);
    List<UUID> before = new ArrayList<>();
    List<UUID> after = new ArrayList<>();
    for (String key : KEYS) {
      before.addAll(scene.publish(publisher, message("before", key, "x")));
      after.addAll(scene.publish(publisher, message("after", key, "x")));
    }
    together(old, fresh);
    assertThat(scene.rows().deferred())
        .extracting(row -> row.handler() + " " + row.type())
        .contains("removed before", "M after");
    fresh.close();
    together(Duration.ofSeconds(5), old);
    assertThat(receivedBy("removed")).containsExactlyInAnyOrderElementsOf(before);

    SteppedRelay again =
        relay(
            "again",
            builder ->
                builder.handler("M", "after", String.class, receive()).alias("before", "after"));
    together(old, again);
    old.close();
    together(Duration.ofSeconds(35), again);

    List<UUID> both = new ArrayList<>(before);
    both.addAll(after);
    assertThat(receivedBy("M")).containsExactlyInAnyOrderElementsOf(both);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }
}
