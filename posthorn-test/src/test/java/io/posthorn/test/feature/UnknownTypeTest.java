/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Posthorn;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UnknownTypeTest {
  private final Scene scene = new Scene(1);
  private final Posthorn publisher =
      Posthorn.publishOnly(scene.store(), scene.transactions()).clock(scene.clock()).build();

  @AfterEach
  void stop() {
    scene.close();
  }

  private static Consumer<Posthorn.Builder> handling(String type) {
    return builder ->
        builder
            .handler("handler-" + type, type, String.class, (payload, delivery) -> {})
            .relay(r -> r.unknownTypeGrace(Duration.ofMinutes(2)));
  }

  @Test
  void aMessageOfAnUnknownTypeWaitsAndHoldsUpNobody() {
    SteppedRelay relay = scene.relay("a", handling("t"));
    scene.publish(publisher, message("unknown", "k", "1"), message("t", "k", "2"));

    relay.drain();

    assertThat(relay.log().delivered()).hasSize(1);
    assertThat(scene.rows().deferred())
        .singleElement()
        .satisfies(
            row -> {
              assertThat(row.handler()).isEqualTo("*");
              assertThat(row.reason()).isEqualTo("UNCLAIMED");
              assertThat(row.error()).isEqualTo("no live instance has a handler for this type");
            });
  }

  @Test
  void itIsDeliveredOnceAHandlerIsThere() {
    SteppedRelay old = scene.relay("a", handling("t"));
    scene.publish(publisher, message("unknown", "k", "1"));
    old.drain();
    old.close();

    SteppedRelay fresh = scene.relay("b", handling("unknown"));
    fresh.drain();
    fresh.pass(Duration.ofSeconds(30));

    assertThat(fresh.log().delivered()).hasSize(1);
    assertThat(fresh.log().delivered().get(0).attempt()).isEqualTo(1);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void itBecomesADeadLetterAfterTheGrace() {
    SteppedRelay relay = scene.relay("a", handling("t"));
    scene.publish(publisher, message("unknown", "k", "1"));
    relay.drain();

    relay.pass(Duration.ofSeconds(119));
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(0);
    relay.pass(Duration.ofSeconds(2));

    assertThat(scene.rows().dead())
        .singleElement()
        .satisfies(
            dead -> {
              assertThat(dead.attempts()).isZero();
              assertThat(dead.error()).contains("\"unknown\"").contains("PT2M");
            });
  }

  @Test
  void withoutGraceItBecomesADeadLetterAtOnce() {
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .handler("mailer", "t", String.class, (payload, delivery) -> {})
                    .relay(r -> r.unknownTypeGrace(Duration.ZERO)));
    scene.publish(publisher, message("unknown", null, "1"));
    relay.drain();

    StoreAssert.assertThat(scene.rows()).hasDeadLetters(1);
  }
}
