/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin;
import io.posthorn.HandlerSpec;
import io.posthorn.Posthorn;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.fault.FaultyStore;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * All instances that have a handler are gone, others go on. What they settle meanwhile is kept for
 * it.
 */
class GoneHandlerTest {
  private static final Duration GRACE = Duration.ofMinutes(2);

  private final Scene scene = new Scene(4);

  @AfterEach
  void stop() {
    scene.close();
  }

  private static Consumer<Posthorn.Builder> handlers(String... names) {
    return builder -> {
      builder.relay(options -> options.unknownTypeGrace(GRACE));
      for (String name : names) {
        builder.handler(name, "t", String.class, (payload, delivery) -> {});
      }
    };
  }

  /** An instance with the handler was there, and is not. */
  private SteppedRelay withoutShip() {
    SteppedRelay other = scene.relay("other", handlers("mail"));
    other.drain();
    SteppedRelay first = scene.relay("first", handlers("mail", "ship"));
    first.drain();
    first.close();
    other.pass(Duration.ofSeconds(2));
    return other;
  }

  private List<UUID> publishSome(SteppedRelay relay) {
    return relay.publish(
        message("t", "k", "1"),
        message("t", "k", "2"),
        message("t", "m", "1"),
        message("t", null, "1"));
  }

  @Test
  void itGetsInOrderWhatWasSettledWithoutIt() {
    SteppedRelay other = withoutShip();
    List<UUID> published = publishSome(other);
    other.drain();
    assertThat(other.log().delivered()).hasSize(4);

    SteppedRelay back = scene.relay("back", handlers("mail", "ship"));
    back.pass(Duration.ofSeconds(2));
    other.close();
    back.pass(Duration.ofSeconds(2));

    assertThat(back.log().deliveredSeqs("ship", "k")).hasSize(2).isSorted();
    assertThat(back.log().delivered())
        .extracting(delivery -> delivery.messageId())
        .containsExactlyInAnyOrderElementsOf(published);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void theSameAfterACrash() {
    SteppedRelay other = scene.relay("other", handlers("mail"));
    other.drain();
    FaultyStore dying = new FaultyStore(scene.store());
    SteppedRelay first = scene.relay("first", dying, handlers("mail", "ship"));
    first.drain();
    dying.away(true);
    other.pass(Duration.ofMinutes(1));
    assertThat(scene.rows().instances()).hasSize(1);
    publishSome(other);
    other.drain();

    assertThat(scene.rows().deferred()).extracting(row -> row.handler()).containsOnly("ship");
    assertThat(scene.rows().deferred()).hasSize(4);
    dying.away(false);
  }

  @Test
  void whenNobodyHasItForTheGraceItIsForgottenAndWhatWasKeptIsDead() {
    SteppedRelay other = withoutShip();
    publishSome(other);
    other.pass(GRACE.plusMinutes(1));

    assertThat(scene.rows().dead())
        .hasSize(4)
        .allMatch(row -> row.error().contains("no live instance has had handler \"ship\""));
    publishSome(other);
    other.drain();
    assertThat(scene.rows().deferred()).isEmpty();
    assertThat(scene.rows().dead()).hasSize(4);
  }

  @Test
  void aPersonMaySayThatItWasRemoved() {
    SteppedRelay other = withoutShip();
    publishSome(other);
    other.drain();
    assertThat(scene.rows().deferred()).hasSize(4);
    Admin admin = other.posthorn().admin();

    assertThat(admin.fleet().forgetHandler("ship")).isTrue();
    assertThat(admin.fleet().forgetHandler("ship")).isFalse();
    assertThat(admin.deferred().cancelAll(Admin.Filter.all().handler("ship"))).isEqualTo(4);
    other.drain();
    publishSome(other);
    other.pass(GRACE.plusMinutes(1));

    assertThat(other.log().delivered()).hasSize(8);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aHandlerThatLivesUnderTheSameNameIsNotHeldUpByTypesThatItTookBefore() {
    SteppedRelay other =
        scene.relay(
            "other",
            handlers("mail")
                .andThen(
                    builder ->
                        builder.handler("audit", "u", String.class, (payload, delivery) -> {})));
    other.drain();
    scene
        .relay(
            "first",
            builder ->
                builder.handler(
                    HandlerSpec.of("mail", "t", String.class, (payload, delivery) -> {})
                        .alsoType("u")))
        .close();
    other.pass(Duration.ofSeconds(2));
    other.publish(message("u", "k", "1"), message("t", "k", "2"));
    other.pass(Duration.ofSeconds(2));

    assertThat(other.log().deliveredSeqs("mail", "k")).hasSize(1);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void forAGenericOneWhatOthersTakeIsKeptToo() {
    SteppedRelay other = scene.relay("other", handlers("mail"));
    other.drain();
    Consumer<Posthorn.Builder> generic =
        builder ->
            builder.handler(
                HandlerSpec.generic("all", envelope -> true, (payload, delivery) -> {}));
    SteppedRelay first = scene.relay("first", generic);
    first.drain();
    first.close();
    other.pass(Duration.ofSeconds(2));
    publishSome(other);
    other.drain();
    SteppedRelay back = scene.relay("back", generic);
    back.pass(Duration.ofSeconds(2));
    other.close();
    back.pass(Duration.ofSeconds(2));

    assertThat(back.log().delivered()).hasSize(4).allMatch(it -> it.handler().equals("all"));
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }
}
