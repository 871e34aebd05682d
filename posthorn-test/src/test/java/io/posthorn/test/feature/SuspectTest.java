/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.DestinationDownException;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.RetryPolicy;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A message that kills its process is found out and becomes a dead letter. */
class SuspectTest {
  private final Scene scene = new Scene(2);
  private final List<String> received = new ArrayList<>();
  private SteppedRelay living;
  private int lives;
  private boolean failing;

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
                builder
                    .relay(relay -> relay.retry(RetryPolicy.fixed(Duration.ofSeconds(1), 10)))
                    .handler(
                        "mailer",
                        "t",
                        String.class,
                        (payload, delivery) -> {
                          received.add(payload);
                          if (failing) {
                            throw new IllegalStateException("not yet");
                          }
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

    assertThat(deaths).isLessThanOrEqualTo(2 + 1 + 3); // alarm, found under way, attempts alone
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

  /** Lets two relays die that had partitions, and nothing else. */
  private void raiseTheAlarm() {
    for (int i = 0; i < 2; i++) {
      nextLife().steps().step("lease");
      scene.clock().advance(Duration.ofSeconds(40));
    }
  }

  private List<StoredRows.Deferred> suspects() {
    return scene.rows().deferred().stream().filter(row -> row.reason().equals("SUSPECT")).toList();
  }

  /** Lets a relay work until it has stored that it will deliver something. */
  private void workUntil(SteppedRelay relay, BooleanSupplier stored) {
    for (int pass = 0; pass < 100 && !stored.getAsBoolean(); pass++) {
      relay.steps().step("lease");
      relay.steps().step("read");
      relay.steps().step("settle");
    }
    assertThat(stored.getAsBoolean()).as("stored: %s", scene.rows()).isTrue();
    assertThat(received).isEmpty();
  }

  @Test
  void messagesOfAPartitionUnderSuspicionAreStoredTogether() {
    SteppedRelay first = nextLife();
    first.publish(around("harmless"));
    raiseTheAlarm();
    workUntil(nextLife(), () -> suspects().size() == 6); // the first of each key
    living.drain();
    assertThat(received).hasSize(12);
    assertThat(scene.rows().noMessages()).isTrue();
  }

  @Test
  void attemptsThatFailedAreNoDeaths() {
    failing = true;
    SteppedRelay first = nextLife();
    first.publish(message("t", "k", "late"));
    for (int i = 0; i < 3; i++) {
      first.drain();
      first.pass(Duration.ofSeconds(2)); // it is retried
    }
    assertThat(scene.rows().deferred())
        .singleElement()
        .satisfies(row -> assertThat(row.attempts()).isGreaterThanOrEqualTo(3));
    received.clear();
    failing = false;
    scene.clock().advance(Duration.ofMinutes(10));
    raiseTheAlarm();
    workUntil(nextLife(), () -> !suspects().isEmpty());
    scene.clock().advance(Duration.ofSeconds(40)); // its process ends
    nextLife().drain();
    assertThat(received).containsExactly("late");
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(0);
  }

  @Test
  void deathsAreNoAttempts() { // issue 19
    SteppedRelay first = nextLife();
    first.publish(message("t", "k", "harmless"));
    raiseTheAlarm();
    for (int deaths = 1; deaths <= 2; deaths++) {
      int before = deaths - 1;
      workUntil(nextLife(), () -> suspects().stream().anyMatch(row -> row.attempts() >= before));
      scene.clock().advance(Duration.ofSeconds(40)); // its process ends before the delivery
    }

    nextLife().drain();

    assertThat(received).containsExactly("harmless");
    assertThat(living.log().delivered()).extracting(Delivery::attempt).containsExactly(1);
  }

  @Test
  void whoHandsOverInOrderLeavesNoSuspectsBehind() {
    SteppedRelay first = nextLife();
    first.publish(message("t", "a", "1"), message("t", "a", "2"), message("t", "b", "3"));
    for (int deaths = 0; deaths < 2; deaths++) {
      living.steps().step("lease");
      scene.clock().advance(Duration.ofSeconds(40));
      nextLife();
    }

    for (int handOvers = 0; handOvers < 5; handOvers++) {
      workUntil(living, () -> !suspects().isEmpty());
      assertThat(received).as("noted, and not delivered yet").isEmpty();
      living.close();
      assertThat(suspects()).isEmpty();
      nextLife();
    }
    living.pass(Duration.ofSeconds(5));

    assertThat(scene.rows().dead()).isEmpty();
    assertThat(received).containsExactlyInAnyOrder("1", "2", "3");
    assertThat(living.log().delivered()).allMatch(delivery -> delivery.attempt() == 1);
  }

  @Test
  void aDestinationThatIsDownMakesNoSuspects() {
    SteppedRelay first = nextLife();
    first.publish(message("t", "a", "1"), message("t", "b", "2"));
    raiseTheAlarm();

    for (int handOvers = 0; handOvers < 6; handOvers++) {
      try (SteppedRelay relay = lifeWithoutDestination("down-" + handOvers)) {
        relay.drain();
        relay.pass(Duration.ofSeconds(3)); // single messages are tried
      }
      assertThat(suspects()).isEmpty();
      StoreAssert.assertThat(scene.rows()).hasDeadLetters(0);
    }
    nextLife().pass(Duration.ofSeconds(5));

    assertThat(received).containsExactlyInAnyOrder("1", "2");
    assertThat(living.log().delivered()).allMatch(delivery -> delivery.attempt() == 1);
  }

  private SteppedRelay lifeWithoutDestination(String name) {
    return scene.relay(
        name,
        builder ->
            builder.handler(
                "mailer",
                "t",
                String.class,
                (payload, delivery) -> {
                  throw new DestinationDownException("no mail server", null);
                }));
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

  /** The window is full for long, and another handler has nothing to do. */
  @Test
  void whatIsPutAsideBeforeItIsDeliveredIsNoSuspect() { // issue 17
    nextLife().publish(message("t", "k", "harmless"));
    raiseTheAlarm();
    SteppedRelay relay =
        scene.relay(
            "narrow",
            builder ->
                builder
                    .relay(options -> options.windowMessages(1))
                    .handler(
                        "mailer", "t", String.class, (payload, delivery) -> received.add(payload))
                    .handler("idle", "u", String.class, (payload, delivery) -> {}));
    while (scene.rows().partitions().stream().anyMatch(held -> held.epoch() < 3)) {
      relay.steps().step("lease");
    }
    relay.steps().step("read");
    relay.steps().step("settle"); // the message has a row of its own
    relay.steps().step("read"); // that it will be delivered is to be stored
    relay.steps().step("read");
    scene.clock().advance(Duration.ofSeconds(6)); // now the handler is late with it

    for (int i = 0; i < 10; i++) {
      relay.steps().step("settle");
      relay.steps().step("read");
    }

    StoreAssert.assertThat(scene.rows()).hasDeadLetters(0);
    assertThat(received).containsExactly("harmless");
  }

  /**
   * Its handler lets later messages pass, so a retry has a lower seq than what is delivered next.
   */
  @Test
  void aRetryThatComesMeanwhileDoesNotRepeatWhatIsDeliveredNext() { // issue 19
    failing = true;
    SteppedRelay first = passingLife("first");
    first.publish(message("t", "k", "1"));
    first.drain(); // it is tried again in 85 s
    failing = false;
    received.clear();
    raiseTheAlarm(); // 80 s
    first.publish(message("t", "k", "2"));
    SteppedRelay relay = passingLife("next");
    workUntil(relay, () -> scene.rows().deferred().size() == 2); // both have rows of their own
    relay.steps().step("read"); // that 2 is delivered next is to be stored
    scene.clock().advance(Duration.ofSeconds(6)); // the retry of 1 is due
    relay.steps().step("read");

    relay.drain();

    assertThat(received).containsExactlyInAnyOrder("1", "2");
    assertThat(scene.rows().noMessages()).isTrue();
  }

  private SteppedRelay passingLife(String name) {
    return scene.relay(
        name,
        builder ->
            builder
                .relay(relay -> relay.retry(RetryPolicy.fixed(Duration.ofSeconds(85), 10)))
                .handler(
                    HandlerSpec.of(
                            "mailer",
                            "t",
                            String.class,
                            (payload, delivery) -> {
                              received.add(payload);
                              if (failing) {
                                throw new IllegalStateException("not yet");
                              }
                            })
                        .lanePolicy(HandlerSpec.LanePolicy.PASS)));
  }
}
