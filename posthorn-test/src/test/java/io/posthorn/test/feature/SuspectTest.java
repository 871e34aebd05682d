/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A message that kills its process is found out and becomes a dead letter. */
class SuspectTest {
  private final Scene scene = new Scene(2);
  private final List<String> received = new ArrayList<>();
  private SteppedRelay living;
  private int lives;

  @AfterEach
  void stop() {
    scene.close();
  }

  /** Ends all that a process does, as its death would. */
  private static final class Death extends Error {
    private static final long serialVersionUID = 1L;
  }

  /** The relay of the next life; the one before is silent, and is expelled. */
  private SteppedRelay nextLife() {
    lives++;
    living =
        scene.relay(
            "life-" + lives,
            builder ->
                builder.handler(
                    "mailer",
                    "t",
                    String.class,
                    (payload, delivery) -> {
                      received.add(payload);
                      if ("poison".equals(payload)) {
                        throw new Death();
                      }
                    }));
    return living;
  }

  /**
   * Lets relays live and die until one survives.
   *
   * @return how many died
   */
  private int liveUntilOneSurvives(int most) {
    for (int deaths = 0; deaths < most; deaths++) {
      if (survives(nextLife())) {
        return deaths;
      }
      scene.clock().advance(Duration.ofSeconds(40)); // its lease is over
    }
    throw new AssertionError("all died: " + scene.rows());
  }

  private boolean survives(SteppedRelay relay) {
    int seen = received.size();
    for (int pass = 0; pass < 2_000; pass++) {
      int done = relay.steps().step("lease") + relay.steps().step("settle");
      done += relay.steps().step("read"); // handlers run in it: what follows a death is not done
      if (received.subList(seen, received.size()).contains("poison")) {
        return false;
      }
      if (done == 0) {
        return true;
      }
    }
    throw new AssertionError("still at work");
  }

  private static Message[] around(String poison) {
    List<Message> messages = new ArrayList<>();
    IntStream.range(0, 5).forEach(i -> messages.add(message("t", "k" + i, "before-" + i)));
    messages.add(message("t", "poisoned", poison));
    messages.add(message("t", "poisoned", "behind"));
    IntStream.range(0, 5).forEach(i -> messages.add(message("t", "k" + i, "after-" + i)));
    return messages.toArray(Message[]::new);
  }

  @Test
  void theKillerBecomesADeadLetterAndOthersAreDelivered() {
    SteppedRelay first = nextLife();
    List<UUID> ids = first.publish(around("poison"));
    survives(first);
    scene.clock().advance(Duration.ofSeconds(40));

    int deaths = 1 + liveUntilOneSurvives(20);

    assertThat(deaths).isLessThanOrEqualTo(2 + 3);
    assertThat(scene.rows().dead())
        .extracting(StoredRows.Dead::error)
        .singleElement()
        .asString()
        .contains(
            "the process ended while handler \"mailer\" was at work on this message, 3 times");
    living.pass(Duration.ofSeconds(5));
    assertThat(received).contains("behind", "before-4", "after-4");
    assertThat(scene.rows().ready()).isEmpty();
    assertThat(scene.rows().deferred()).isEmpty();
    assertThat(ids).hasSize(12);
  }

  @Test
  void aPartitionThatComesToRestIsNoLongerUnderSuspicion() {
    SteppedRelay first = nextLife();
    first.publish(around("poison"));
    survives(first);
    scene.clock().advance(Duration.ofSeconds(40));
    liveUntilOneSurvives(20);

    living.pass(Duration.ofSeconds(10));

    assertThat(scene.rows().partitions()).allMatch(partition -> partition.crashes() == 0);
    living.publish(message("t", "k", "quick"));
    living.drain();
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(1);
    assertThat(received).endsWith("quick");
  }

  @Test
  void oneCrashRaisesNoSuspicion() {
    SteppedRelay first = nextLife();
    first.publish(around("harmless"));
    first.steps().step("lease");
    scene.clock().advance(Duration.ofSeconds(40));

    SteppedRelay second = nextLife();
    second.drain();

    assertThat(received).hasSize(12);
    assertThat(scene.rows().noMessages()).isTrue();
    second.pass(Duration.ofSeconds(5));
    assertThat(scene.rows().partitions()).allMatch(partition -> partition.crashes() == 0);
  }
}
