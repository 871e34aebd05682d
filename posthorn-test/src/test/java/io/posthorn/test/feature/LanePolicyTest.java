/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static io.posthorn.test.feature.Scene.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin;
import io.posthorn.Delivery;
import io.posthorn.DeliveryResult;
import io.posthorn.DestinationDownException;
import io.posthorn.Handler;
import io.posthorn.HandlerSpec;
import io.posthorn.HandlerSpec.LanePolicy;
import io.posthorn.RefusedException;
import io.posthorn.RetryPolicy;
import io.posthorn.test.StoreAssert;
import io.posthorn.test.StoredRows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LanePolicyTest {
  private final Scene scene = new Scene(2);
  private final Set<String> failing = new HashSet<>();
  private boolean down;

  @AfterEach
  void stop() {
    scene.close();
  }

  private SteppedRelay relay(String name, UnaryOperator<HandlerSpec<String>> settings) {
    HandlerSpec<String> spec =
        HandlerSpec.of(
            "mailer",
            "t",
            String.class,
            (payload, delivery) -> {
              if (failing.contains(payload)) {
                throw new IllegalStateException("no answer");
              }
            });
    return scene.relay(name, builder -> builder.handler(settings.apply(spec)));
  }

  private static List<UUID> delivered(SteppedRelay relay) {
    return relay.log().delivered().stream().map(Delivery::messageId).toList();
  }

  @Test
  void laterMessagesPassAFailedOne() {
    failing.add("1");
    SteppedRelay relay = relay("a", spec -> spec.lanePolicy(LanePolicy.PASS));
    List<UUID> ids =
        relay.publish(message("t", "k", "1"), message("t", "k", "2"), message("t", "k", "3"));

    relay.drain();

    assertThat(delivered(relay)).containsExactly(ids.get(1), ids.get(2));
    failing.clear();
    relay.pass(Duration.ofSeconds(2));
    assertThat(delivered(relay)).containsExactly(ids.get(1), ids.get(2), ids.get(0));
    assertThat(relay.log().delivered().get(2).attempt()).isEqualTo(2);
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aPassedMessageIsRetriedByTheNextRelayToo() {
    failing.add("1");
    SteppedRelay first = relay("a", spec -> spec.lanePolicy(LanePolicy.PASS));
    List<UUID> ids = first.publish(message("t", "k", "1"));
    first.drain();
    first.close();
    failing.clear();
    SteppedRelay second = relay("b", spec -> spec.lanePolicy(LanePolicy.PASS));

    second.drain();
    second.pass(Duration.ofSeconds(3));

    assertThat(delivered(second)).containsExactlyElementsOf(ids);
  }

  @Test
  void aBlockedLaneStaysBlockedForWhatIsReadAfterIt() {
    failing.add("1");
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder
                    .relay(options -> options.windowMessages(1))
                    .handler(
                        HandlerSpec.of(
                                "mailer",
                                "t",
                                String.class,
                                (payload, delivery) -> {
                                  if (failing.contains(payload)) {
                                    throw new IllegalStateException("no answer");
                                  }
                                })
                            .lanePolicy(LanePolicy.BLOCK)
                            .retry(onlyOnce())));
    relay.publish(message("t", "k", "1"), message("t", "k", "2"));

    relay.drain();

    assertThat(delivered(relay)).isEmpty();
    assertThat(scene.rows().deferred())
        .extracting(StoredRows.Deferred::reason)
        .containsExactlyInAnyOrder("BLOCKED", "HELD");
  }

  @Test
  void aBlockedLaneStaysBlockedAcrossRestartsWithNoFollowerWaiting() {
    failing.add("1");
    UnaryOperator<HandlerSpec<String>> blocking =
        spec -> spec.lanePolicy(LanePolicy.BLOCK).retry(onlyOnce());
    SteppedRelay first = relay("a", blocking);
    first.publish(message("t", "k", "1"));
    first.drain();
    assertThat(scene.rows().deferred())
        .extracting(StoredRows.Deferred::reason)
        .containsExactly("BLOCKED");
    first.close();
    SteppedRelay second = relay("b", blocking);
    second.drain();

    List<UUID> later = second.publish(message("t", "k", "2"), message("t", "other", "3"));
    second.drain();
    second.pass(Duration.ofSeconds(90));

    assertThat(delivered(second)).containsExactly(later.get(1));
    assertThat(scene.rows().deferred())
        .extracting(StoredRows.Deferred::reason)
        .containsExactlyInAnyOrder("BLOCKED", "HELD");
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(1);
  }

  @Test
  void byDefaultALaneGoesOnAfterADeadLetter() {
    failing.add("1");
    SteppedRelay relay = relay("a", spec -> spec.retry(onlyOnce()));
    List<UUID> ids = relay.publish(message("t", "k", "1"), message("t", "k", "2"));

    relay.drain();

    assertThat(delivered(relay)).containsExactly(ids.get(1));
    StoreAssert.assertThat(scene.rows()).hasDeadLetters(1).laneIsFree("mailer", "k");
  }

  @Test
  void aFailureCallbackBlocksTheLane() {
    failing.add("1");
    SteppedRelay relay =
        relay("a", spec -> spec.onFailure((payload, delivery, cause) -> blocked(cause)));
    relay.publish(message("t", "k", "1"), message("t", "k", "2"));

    relay.drain();
    relay.pass(Duration.ofSeconds(60));

    assertThat(delivered(relay)).isEmpty();
    assertThat(scene.rows().dead())
        .extracting(StoredRows.Dead::error)
        .containsExactly("seen: no answer");
    assertThat(scene.rows().deferred())
        .extracting(StoredRows.Deferred::reason)
        .containsExactly("BLOCKED", "HELD");
  }

  private static DeliveryResult blocked(Throwable cause) {
    return DeliveryResult.blockLane("seen: " + cause.getMessage());
  }

  @Test
  void aFailureCallbackSeesPayloadDeliveryAndCause() {
    failing.add("1");
    StringBuilder seen = new StringBuilder();
    Handler.OnFailure<String> callback =
        (payload, delivery, cause) -> {
          seen.append(payload + " " + delivery.attempt() + " " + cause.getMessage());
          return DeliveryResult.ignored();
        };
    SteppedRelay relay = relay("a", spec -> spec.onFailure(callback));
    List<UUID> ids = relay.publish(message("t", "k", "1"), message("t", "k", "2"));

    relay.drain();

    assertThat(seen).hasToString("1 1 no answer");
    assertThat(relay.log().ignored()).extracting(Delivery::messageId).containsExactly(ids.get(0));
    assertThat(delivered(relay)).containsExactly(ids.get(1));
    StoreAssert.assertThat(scene.rows()).hasNoMessages();
  }

  @Test
  void aFailureCallbackChoosesTheTimeOfTheRetry() {
    failing.add("1");
    SteppedRelay relay =
        relay(
            "a",
            spec ->
                spec.onFailure(
                    (payload, delivery, cause) ->
                        DeliveryResult.retryAt(scene.clock().instant().plusSeconds(50))));
    relay.publish(message("t", "k", "1"));
    relay.drain();
    failing.clear();
    relay.pass(Duration.ofSeconds(48));
    assertThat(delivered(relay)).isEmpty();

    relay.pass(Duration.ofSeconds(3));

    assertThat(delivered(relay)).hasSize(1);
  }

  @Test
  void aCallbackThatHasNothingToSayOrThrowsLeavesItToThePolicy() {
    failing.addAll(List.of("1", "2"));
    SteppedRelay relay =
        relay(
            "a",
            spec ->
                spec.onFailure(
                    (payload, delivery, cause) -> {
                      if ("2".equals(payload)) {
                        throw new IllegalStateException("bad callback");
                      }
                      return null;
                    }));
    relay.publish(message("t", "k", "1"), message("t", "other", "2"));

    relay.drain();

    assertThat(relay.log().retrying()).hasSize(2);
  }

  private static RetryPolicy onlyOnce() {
    return RetryPolicy.exponential(Duration.ZERO, Duration.ZERO, 1);
  }

  @Test
  void aRetriedDeadLetterLetsNobodyPassOneThatHasJustFailed() { // issue 17
    List<String> tried = new ArrayList<>();
    failing.add("1");
    failing.add("2");
    SteppedRelay relay =
        scene.relay(
            "a",
            builder ->
                builder.handler(
                    "mailer",
                    "t",
                    String.class,
                    (payload, delivery) -> {
                      tried.add(payload);
                      if (failing.contains(payload)) {
                        throw payload.equals("1")
                            ? new RefusedException("not this one", null)
                            : new IllegalStateException("not yet");
                      }
                    }));
    relay.publish(message("t", "k", "1"), message("t", "k", "2"), message("t", "k", "3"));
    relay.drain(); // the first is a dead letter, the second is retried, the third waits
    scene.clock().advance(Duration.ofSeconds(1));
    relay.steps().step("read"); // the second fails again, which is not stored yet
    assertThat(tried).containsExactly("1", "2", "2");
    failing.clear();
    relay.posthorn().admin().deadLetters().retryAll(Admin.Filter.all());

    relay.steps().step("read");
    relay.steps().step("read");
    relay.pass(Duration.ofSeconds(5));

    assertThat(tried.subList(3, tried.size())).containsExactly("1", "2", "3");
  }

  @Test
  void whatPassesDoesNotTellThatNothingWaitsInItsLane() { // issue 17
    failing.add("1");
    SteppedRelay first = narrowRelay("a");
    first.publish(message("t", "k", "1"));
    first.drain(); // it fails, and lets others pass
    first.posthorn().admin().fleet().pauseHandler("mailer");
    first.pass(Duration.ofSeconds(5));
    first.publish(message("t", "k", "2"));
    first.drain();
    first.close(); // the second waits in its lane
    failing.clear();
    down = true;
    SteppedRelay second = narrowRelay("b");
    second.posthorn().admin().fleet().resumeHandler("mailer");
    second.drain(); // there is room for the first only, which finds the destination down

    second.publish(message("t", "k", "3"));
    second.drain();
    down = false;
    second.pass(Duration.ofSeconds(10));

    assertThat(second.log().deliveredSeqs("mailer", "k")).containsExactly(1L, 2L, 3L);
  }

  /** Each handler may have one message in memory. */
  private SteppedRelay narrowRelay(String name) {
    return scene.relay(
        name,
        builder -> {
          builder
              .relay(options -> options.windowMessages(4))
              .handler(
                  HandlerSpec.of(
                          "mailer",
                          "t",
                          String.class,
                          (payload, delivery) -> {
                            if (down) {
                              throw new DestinationDownException("down", null);
                            }
                            if (failing.contains(payload)) {
                              throw new IllegalStateException("no answer");
                            }
                          })
                      .lanePolicy(LanePolicy.PASS));
          for (String other : List.of("ledger", "audit", "stock")) {
            builder.handler(other, "t", String.class, (payload, delivery) -> {});
          }
        });
  }
}
