/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StartupDelayTest {
  private final Scene scene = new Scene(4);
  private final SteppedRelay relay =
      scene.relay(
          "a",
          builder ->
              builder
                  .handler("mailer", "t", String.class, (payload, delivery) -> {})
                  .relay(r -> r.startupDelay(Duration.ofSeconds(5))));

  @AfterEach
  void stop() {
    scene.close();
  }

  @Test
  void nothingIsTakenBeforeTheDelayIsOver() {
    relay.publish(message("t", "k", "1"));
    relay.drain();
    relay.pass(Duration.ofSeconds(4));
    relay.log().assertNothingDelivered();
    assertThat(scene.rows().instances()).isEmpty();

    relay.pass(Duration.ofSeconds(1));
    assertThat(relay.log().delivered()).hasSize(1);
  }

  @Test
  void aRelayCanBeStoppedBeforeTheDelayIsOver() {
    relay.drain();

    assertThat(relay.posthorn().stop(Duration.ofSeconds(10))).isTrue();
  }
}
