/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Posthorn;
import io.posthorn.spi.StoreException.Kind;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.fault.FaultyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A message that is split for its handlers, while the database does not store the split. */
class SetAsideSplitTest { // issue 19
  private final Scene scene = new Scene(1);
  private final FaultyStore store = new FaultyStore(scene.store());
  private final List<String> delivered = new ArrayList<>();

  @AfterEach
  void stop() {
    scene.close();
  }

  private void failingOnce(Posthorn.Builder builder, String name, boolean fails) {
    builder.handler(
        name,
        "t",
        String.class,
        (payload, delivery) -> {
          if (fails && delivery.attempt() == 1) {
            throw new IllegalStateException("the first time");
          }
          delivered.add(name);
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"first", "second"})
  void whatBecameOfARowIsNotStoredBeforeTheRowIsWritten(String failing) {
    SteppedRelay relay =
        scene.relay(
            "a",
            store,
            builder -> {
              failingOnce(builder, "first", failing.equals("first"));
              failingOnce(builder, "second", failing.equals("second"));
            });
    AtomicInteger tried = new AtomicInteger();
    store.failOutcomes(Kind.UNKNOWN, seq -> tried.incrementAndGet() <= 2); // together, then alone

    relay.publish(message("t", "k", "payload"));
    relay.pass(Duration.ofSeconds(5));

    assertThat(delivered).containsExactlyInAnyOrder("first", "second");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }
}
