/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin;
import io.posthorn.Relay;
import io.posthorn.test.StoreAssert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PauseTest {
  /** In a scene of four partitions these keys are in partition 0 and 3. */
  private static final String KEY_IN_0 = "42";

  private static final String KEY_IN_3 = "order-1";

  private final Scene scene = new Scene(4);
  private final List<String> got = new ArrayList<>();
  private boolean failing;

  private final SteppedRelay relay =
      scene.relay(
          "a",
          builder ->
              builder
                  .handler(
                      "mailer",
                      "t",
                      String.class,
                      (payload, delivery) -> {
                        got.add("mailer:" + payload);
                        if (failing) {
                          throw new IllegalStateException("no");
                        }
                      })
                  .handler(
                      "audit",
                      "u",
                      String.class,
                      (payload, delivery) -> got.add("audit:" + payload)));

  private Relay steering() {
    return relay.posthorn().relay();
  }

  private Admin admin() {
    return relay.posthorn().admin();
  }

  @AfterEach
  void stop() {
    scene.close();
  }

  @Test
  void aPausedRelayDeliversNothingAndKeepsItsPartitions() {
    relay.drain();
    steering().pause();
    relay.publish(message("t", KEY_IN_0, "1"));
    relay.pass(Duration.ofMinutes(2));

    assertThat(got).isEmpty();
    assertThat(steering().status().epochs()).containsOnlyKeys(0, 1, 2, 3);
    assertThat(steering().status().leaseValid()).isTrue();

    steering().resume();
    relay.drain();
    assertThat(got).containsExactly("mailer:1");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aPausedRelayRetriesNothing() {
    failing = true;
    relay.publish(message("t", KEY_IN_0, "1"), message("t", null, "2"));
    relay.drain();
    steering().pause();
    relay.pass(Duration.ofSeconds(5));
    assertThat(got).hasSize(2);

    failing = false;
    steering().resume();
    relay.pass(Duration.ofSeconds(1));
    assertThat(got).hasSize(4);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aPausedHandlerWaitsWhileOthersGoOn() {
    admin().fleet().pauseHandler("mailer");
    relay.publish(message("t", KEY_IN_0, "1"), message("u", KEY_IN_0, "2"));
    relay.drain();
    assertThat(got).containsExactly("audit:2");

    admin().fleet().resumeHandler("mailer");
    relay.drain();
    assertThat(got).containsExactly("audit:2", "mailer:1");
  }

  @Test
  void aPausedPartitionWaitsWhileOthersGoOn() {
    relay.drain();
    admin().fleet().pausePartition(3);
    relay.publish(message("t", KEY_IN_3, "1"), message("t", KEY_IN_0, "2"));
    relay.drain();
    assertThat(got).containsExactly("mailer:2");

    admin().fleet().resumePartition(3);
    relay.drain();
    assertThat(got).containsExactly("mailer:2", "mailer:1");
  }

  @Test
  void aPausedPartitionRetriesNothing() {
    failing = true;
    relay.publish(message("t", KEY_IN_3, "1"), message("t", KEY_IN_0, "2"));
    relay.drain();
    assertThat(got).containsExactlyInAnyOrder("mailer:1", "mailer:2");

    admin().fleet().pausePartition(3);
    failing = false;
    relay.pass(Duration.ofSeconds(5));
    assertThat(got).hasSize(3).last().isEqualTo("mailer:2");

    admin().fleet().resumePartition(3);
    relay.drain();
    assertThat(got).hasSize(4).last().isEqualTo("mailer:1");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void awaitIdleEndsWhenEverythingReadyWasDelivered() {
    relay.publish(message("t", KEY_IN_0, "1"), message("u", KEY_IN_3, "2"));

    assertThat(steering().awaitIdle(Duration.ofSeconds(10))).isTrue();

    assertThat(got).containsExactlyInAnyOrder("mailer:1", "audit:2");
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void awaitIdleDoesNotWaitForRetries() {
    failing = true;
    relay.publish(message("t", KEY_IN_0, "1"));

    assertThat(steering().awaitIdle(Duration.ofSeconds(10))).isTrue();

    StoreAssert.assertThat(scene.rows()).laneIsBlocked("mailer", KEY_IN_0);
  }

  @Test
  void aPausedRelayIsNotIdleWhileMessagesAreReady() {
    relay.drain();
    steering().pause();
    relay.publish(message("t", KEY_IN_0, "1"));

    assertThat(steering().awaitIdle(Duration.ofMillis(10))).isFalse();
  }
}
