/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Posthorn;
import io.posthorn.spi.StoreException;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.fault.FaultyStore;
import io.posthorn.test.fault.FaultyStore.Step;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RefusedOutcomeTest {
  private final Scene scene = new Scene(1);
  private final FaultyStore store = new FaultyStore(scene.store());
  private final SteppedRelay relay =
      scene.relay(
          "a",
          store,
          builder -> builder.handler("mailer", "t", String.class, (payload, delivery) -> {}));

  @AfterEach
  void stop() {
    scene.close();
  }

  private void publishFour() {
    for (int i = 1; i <= 4; i++) {
      relay.publish(message("t", "k" + i, String.valueOf(i)));
    }
  }

  @Test
  void oneRefusedOutcomeDoesNotTakeItsGroupDown() {
    publishFour();
    store.refuse(Step.SETTLE).refuse(Step.SETTLE).refuse(Step.SETTLE); // of 4, of 2, of 1

    relay.drain();

    assertThat(relay.log().delivered()).hasSize(4);
    assertThat(scene.rows().ready()).extracting(row -> row.key()).containsExactly("k1");
  }

  @Test
  void nothingOfAHalvedGroupIsForgottenWhenTheStoreGoesAway() {
    publishFour();
    store
        .refuse(Step.SETTLE) // 1 2 3 4
        .refuse(Step.SETTLE) // 1 2
        .before(Step.SETTLE, () -> {}) // 1
        .failBefore(Step.SETTLE); // 2

    assertThatThrownBy(relay::drain).isInstanceOf(StoreException.class);
    relay.drain();

    assertThat(relay.log().delivered()).hasSize(4);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
    assertThat(relay.posthorn().relay().status().inMemory()).isZero();
  }

  @Test
  void aLaterMessageOfTheLaneOfARefusedOutcomeDoesNotWaitForIt() {
    SteppedRelay failing = scene.relay("b", store, failingOn("poison"));
    relay.close();
    failing.publish(message("u", "k", "poison"));
    store.refuse(Step.SETTLE); // that it is to be tried again

    failing.drain();
    failing.publish(message("u", "k", "fine"));
    failing.pass(Duration.ofSeconds(2));

    assertThat(failing.log().delivered()).hasSize(1);
    assertThat(scene.rows().ready()).extracting(row -> row.seq()).containsExactly(1L);
    assertThat(failing.posthorn().relay().status().inMemory()).isZero();
  }

  @Test
  void aDeferredMessageWhoseOutcomeWasRefusedIsTriedAgainAndItsLaneGoesOn() {
    SteppedRelay failing = scene.relay("b", store, failingOn("poison"));
    relay.close();
    failing.publish(message("u", "k", "poison"));
    failing.publish(message("u", "k", "fine"));
    failing.drain();
    store.refuse(Step.SETTLE); // of the second attempt
    failing.pass(Duration.ofSeconds(1));
    assertThat(failing.log().delivered()).isEmpty();

    failing.pass(Duration.ofMinutes(10));

    assertThat(failing.log().delivered()).hasSize(1);
    assertThat(scene.rows().dead()).extracting(row -> row.seq()).containsExactly(1L);
    assertThat(scene.rows().ready()).isEmpty();
    assertThat(scene.rows().deferred()).isEmpty();
  }

  private static Consumer<Posthorn.Builder> failingOn(String poison) {
    return builder ->
        builder.handler(
            "mailer",
            "u",
            String.class,
            (payload, delivery) -> {
              if (payload.equals(poison)) {
                throw new IllegalStateException("as planned");
              }
            });
  }
}
