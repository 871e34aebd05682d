/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.HandlerSpec;
import io.posthorn.HandlerSpec.LanePolicy;
import io.posthorn.Posthorn;
import io.posthorn.RetryPolicy;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.DueResult;
import io.posthorn.spi.Settlement;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.StoredRows;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Thousands of rows that nobody takes are decided about together, and in bounded steps. */
class UnclaimedRowsTest {
  private static final Duration GRACE = Duration.ofMinutes(2);
  private static final int MANY = 3_000;

  private final Scene scene = new Scene(2);
  private final Posthorn publisher =
      Posthorn.publishOnly(scene.store(), scene.transactions()).clock(scene.clock()).build();
  private int settled;
  private int largest;

  @AfterEach
  void stop() {
    scene.close();
  }

  @BeforeEach
  void count() {
    settled = 0;
    largest = 0;
  }

  /** Counts what is settled, and how many rows go through one call. */
  private <T> T counting(Class<T> type, T target) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (any, method, arguments) -> {
              try {
                Object result = method.invoke(target, arguments);
                if (method.getName().equals("settle")) {
                  int rows = ((Settlement) arguments[1]).size();
                  settled += rows;
                  largest = Math.max(largest, rows);
                } else if (result instanceof DueResult due) {
                  largest = Math.max(largest, due.rows().size());
                } else if (result instanceof Collection<?> rows) {
                  largest = Math.max(largest, rows.size());
                }
                return result instanceof RelayStore relay
                    ? counting(RelayStore.class, relay)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return type.cast(proxy);
  }

  private SteppedRelay relay(String name, Consumer<Posthorn.Builder> handlers) {
    return scene.relay(
        name,
        counting(MessageStore.class, scene.store()),
        handlers.andThen(
            builder -> builder.relay(r -> r.unknownTypeGrace(GRACE).settleBatch(500))));
  }

  private SteppedRelay handling(String name, String... types) {
    return relay(
        name,
        builder -> {
          for (String type : types) {
            builder.handler("for-" + type, type, String.class, (payload, delivery) -> {});
          }
        });
  }

  private void publishMany(String type) {
    for (int i = 0; i < MANY; i++) {
      scene.publish(publisher, message(type, "k" + i % 100, "x"));
    }
  }

  @Test
  void whileTheyWaitNothingIsSettled() {
    SteppedRelay relay = handling("a", "t");
    publishMany("unknown");
    relay.drain();
    assertThat(settled).isEqualTo(MANY);
    relay.pass(GRACE.minusSeconds(10));

    assertThat(settled).isEqualTo(MANY);
    assertThat(scene.rows().deferred()).hasSize(MANY);
  }

  @Test
  void afterTheGraceAllBecomeDeadLettersAndListenersHearOfEach() {
    SteppedRelay relay = handling("a", "t");
    publishMany("unknown");
    relay.drain();
    relay.pass(GRACE.plusSeconds(2));

    assertThat(scene.rows().dead()).hasSize(MANY);
    assertThat(relay.log().dead()).hasSize(MANY);
    assertThat(settled).as("once when they were read, once when they died").isEqualTo(2 * MANY);
    assertThat(largest).isLessThanOrEqualTo(1_000);
  }

  @Test
  void whenTheTypeBecomesKnownAllAreDeliveredSoonInTheOrderOfTheirKeys() {
    SteppedRelay old = handling("old", "t");
    publishMany("unknown");
    old.drain();
    old.pass(Duration.ofSeconds(10));
    old.close();
    SteppedRelay fresh = handling("fresh", "t", "unknown");
    fresh.pass(Duration.ofSeconds(1));

    assertThat(fresh.log().delivered()).hasSize(MANY);
    for (int i = 0; i < 100; i++) {
      assertThat(fresh.log().deliveredSeqs("for-unknown", "k" + i)).hasSize(MANY / 100).isSorted();
    }
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
    assertThat(largest).isLessThanOrEqualTo(1_000);
  }

  @Test
  void aHandlerThatOnlyAnotherInstanceHasGetsItsRowsAsSoonAsItIsKnown() {
    SteppedRelay old = handling("old", "t");
    scene.publish(publisher, message("unknown", "k", "x"), message("unknown", "42", "x"));
    old.pass(Duration.ofSeconds(10));
    SteppedRelay fresh = handling("fresh", "unknown");
    for (int i = 0; i < 3; i++) {
      scene.clock().advance(Duration.ofSeconds(1));
      old.drain();
      fresh.drain();
    }

    assertThat(scene.rows().deferred())
        .extracting(StoredRows.Deferred::handler)
        .doesNotContain("*");
  }

  @Test
  void aRelayWithAGenericHandlerIsAskedOnceAboutWhatItTakesOver() {
    SteppedRelay old = handling("old", "t");
    publishMany("unknown");
    old.drain();
    old.close();
    settled = 0;
    int[] asked = {0};
    SteppedRelay fresh =
        relay(
            "fresh",
            builder ->
                builder.handler(
                    HandlerSpec.generic(
                        "some",
                        envelope -> {
                          asked[0]++;
                          return false;
                        },
                        (payload, delivery) -> {})));
    fresh.pass(GRACE.minusSeconds(5));

    assertThat(asked[0]).isEqualTo(MANY);
    assertThat(settled).isEqualTo(MANY);
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(0);
    fresh.pass(Duration.ofSeconds(10));
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(MANY);
  }

  @Test
  void rowsOfAHandlerThatIsGoneBecomeDeadLettersButItsBlockedLanesStay() {
    SteppedRelay other = handling("other", "t");
    other.drain();
    SteppedRelay first =
        relay(
            "first",
            builder ->
                builder.handler(
                    HandlerSpec.<String>of(
                            "ship",
                            "u",
                            String.class,
                            (payload, delivery) -> {
                              throw new IllegalStateException("away");
                            })
                        .lanePolicy(LanePolicy.BLOCK)
                        .retry(RetryPolicy.fixed(Duration.ofSeconds(1), 1))));
    first.pass(Duration.ofSeconds(1));
    other.close();
    first.pass(Duration.ofSeconds(1));
    publishMany("u");
    first.drain();
    first.close();
    StoredRows before = scene.rows();
    assertThat(before.dead()).as("the first of each key").hasSize(100);
    SteppedRelay next = handling("next", "t");
    next.pass(GRACE.plusSeconds(31));

    assertThat(scene.rows().dead()).hasSize(MANY);
    assertThat(next.log().dead()).hasSize(MANY - 100);
    assertThat(scene.rows().deferred())
        .hasSize(100)
        .allMatch(row -> row.reason().equals("BLOCKED"));
    assertThat(largest).isLessThanOrEqualTo(1_000);
  }

  private SteppedRelay mailer(String name, String... types) {
    return relay(
        name,
        builder -> {
          HandlerSpec<String> spec =
              HandlerSpec.of("mailer", types[0], String.class, (text, delivery) -> {});
          for (String type : types) {
            spec = spec.alsoType(type);
          }
          builder.handler(spec);
        });
  }

  /** A lane of deferred rows, left by a version that took this type. */
  private void leaveBehind(String... types) {
    SteppedRelay fresh =
        relay(
            "fresh",
            builder ->
                builder.handler(
                    HandlerSpec.<String>of(
                            "mailer",
                            "t",
                            String.class,
                            (text, delivery) -> {
                              throw new IllegalStateException("away");
                            })
                        .alsoType("added")));
    for (String type : types) {
      scene.publish(publisher, message(type, "k", "x"));
    }
    fresh.drain();
    fresh.close();
    assertThat(scene.rows().deferred()).hasSize(types.length);
  }

  @Test
  void aLaneWaitsOnceForAllMessagesOfATypeThatItsHandlerHasLost() {
    leaveBehind("t", "added", "added", "added", "t", "added", "t");
    SteppedRelay old = mailer("old", "t");
    old.pass(Duration.ofSeconds(20));
    assertThat(old.log().deliveredSeqs("mailer", "k")).as("before those that wait").hasSize(1);
    old.pass(Duration.ofSeconds(45));

    assertThat(old.log().deliveredSeqs("mailer", "k")).hasSize(3).isSorted();
    assertThat(scene.rows().deferred())
        .hasSize(4)
        .allMatch(row -> row.type().equals("added") && row.reason().equals("UNCLAIMED"));
  }

  @Test
  void theGraceOfSuchMessagesSurvivesARestart() {
    leaveBehind("added");
    SteppedRelay old = mailer("old", "t");
    old.pass(Duration.ofSeconds(100));
    old.close();
    SteppedRelay again = mailer("again", "t");
    again.pass(Duration.ofSeconds(90));

    StoreAssert.assertThat(scene.rows()).hasDeadLetters(1);
  }

  @Test
  void aTypeThatIsTakenOfAnotherAggregateOnlyWaitsLikeAnUnknownOne() {
    SteppedRelay relay =
        relay(
            "a",
            builder ->
                builder.handler(
                    HandlerSpec.of("mailer", "t", String.class, (text, delivery) -> {})
                        .aggregateType("order")));
    publishMany("t");
    relay.drain();
    settled = 0;
    relay.pass(GRACE.minusSeconds(10));
    assertThat(settled).isZero();
    relay.pass(Duration.ofSeconds(12));

    StoreAssert.assertThat(scene.rows()).hasDeadLetters(MANY);
  }

  @Test
  void ordinaryMessagesGoOnWhileThousandsAreDecidedAbout() {
    SteppedRelay relay = handling("a", "t");
    publishMany("unknown");
    relay.drain();
    relay.pass(GRACE.minusSeconds(1));
    scene.publish(publisher, message("t", "k1", "x"));
    scene.clock().advance(Duration.ofSeconds(2));
    relay.steps().step("lease");
    for (int i = 0; i < 3; i++) {
      relay.steps().step("read");
    }

    assertThat(relay.log().delivered()).hasSize(1);
  }
}
