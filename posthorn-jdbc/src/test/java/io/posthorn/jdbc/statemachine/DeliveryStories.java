/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.statemachine;

import static io.posthorn.jdbc.statemachine.Stage.HANDLER;
import static io.posthorn.jdbc.statemachine.Stage.HOUR;
import static io.posthorn.jdbc.statemachine.Stage.TYPE;
import static io.posthorn.jdbc.statemachine.Stage.message;

import io.posthorn.DeliveryResult;
import io.posthorn.DestinationDownException;
import io.posthorn.Handler;
import io.posthorn.HandlerSpec;
import io.posthorn.jdbc.fixture.SteppedRelay;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Messages on their way from the publisher to their handlers. */
final class DeliveryStories implements Story.Book {
  private static final Duration SOON = Duration.ofSeconds(20);

  @Override
  public Map<String, Story> stories() {
    Map<String, Story> stories = new LinkedHashMap<>();
    stories.put("delivered", DeliveryStories::delivered);
    stories.put("kept, and purged by age", DeliveryStories::keptAndPurged);
    stories.put("delayed", DeliveryStories::delayed);
    stories.put("expired", DeliveryStories::expired);
    stories.put("ignored though others are kept", DeliveryStories::ignored);
    stories.put("dead at once", DeliveryStories::deadAtOnce);
    stories.put("dead at once, and the lane is blocked", DeliveryStories::blockedAtOnce);
    stories.put("a handler fails to say whether it takes it", DeliveryStories::untestable);
    stories.put("one of two handlers fails", DeliveryStories::oneOfTwoFails);
    stories.put("one of two handlers has lost its destination", DeliveryStories::oneOfTwoIsDown);
    stories.put("one of two handlers is late", DeliveryStories::oneOfTwoIsLate);
    stories.put("in the transaction of its handler", DeliveryStories::transactional);
    stories.put("without a key", DeliveryStories::keyless);
    stories.put("passed by others of its key", DeliveryStories::passed);
    stories.put("handed over between two relays", DeliveryStories::handedOver);
    return stories;
  }

  private static void delivered(Stage stage) throws Exception {
    stage.publish("k");
    stage.relay().drain();
  }

  private static void keptAndPurged(Stage stage) throws Exception {
    stage.publish("k");
    SteppedRelay relay = stage.relay(spec -> spec, Stage::keeping);
    relay.drain();
    stage.stop(relay);
    stage.database().clock().advance(Duration.ofDays(2));
    stage.relay(spec -> spec, Stage::keeping).drain();
  }

  private static void delayed(Stage stage) throws Exception {
    stage.publish(message("k").deliverAfter(SOON));
    SteppedRelay relay = stage.relay();
    relay.drain();
    stage.pass(SOON, relay);
  }

  private static void expired(Stage stage) throws Exception {
    stage.publish(message("k").expiresAt(stage.database().clock().instant().plus(SOON)));
    stage.database().clock().advance(HOUR);
    stage.relay(spec -> spec, Stage::keeping).drain();
  }

  private static void ignored(Stage stage) throws Exception {
    stage.publish("k");
    stage.answer = DeliveryResult.ignored();
    stage.relay(spec -> spec, Stage::keeping).drain();
  }

  private static void deadAtOnce(Stage stage) throws Exception {
    stage.publish("k");
    stage.answer = DeliveryResult.dead("no such customer");
    stage.relay().drain();
  }

  private static void blockedAtOnce(Stage stage) throws Exception {
    stage.publish("k");
    stage.publish("k");
    stage.answer = DeliveryResult.blockLane("no such customer");
    stage.relay().drain();
  }

  private static void untestable(Stage stage) throws Exception {
    stage.publish("k");
    stage
        .relay(
            spec -> spec,
            builder ->
                builder.handler(
                    HandlerSpec.generic(
                        "choosy",
                        envelope -> {
                          throw new IllegalStateException("cannot say");
                        },
                        nothing())))
        .drain();
  }

  private static void oneOfTwoFails(Stage stage) throws Exception {
    stage.publish("k");
    stage.publish("k");
    stage.answer = DeliveryResult.retryAfter(SOON);
    SteppedRelay relay = withAudit(stage);
    relay.drain();
    stage.answer = DeliveryResult.delivered();
    stage.pass(SOON, relay);
  }

  private static void oneOfTwoIsDown(Stage stage) throws Exception {
    for (int i = 0; i < 20; i++) {
      stage.publish("key-" + i);
    }
    boolean[] down = {true};
    SteppedRelay relay =
        stage.relayOf(
            builder ->
                builder
                    .relay(options -> options.windowMessages(4))
                    .handler("audit", TYPE, String.class, nothing())
                    .handler(
                        HANDLER,
                        TYPE,
                        String.class,
                        (text, delivery) -> {
                          if (down[0]) {
                            throw new DestinationDownException("away", null);
                          }
                        }));
    stage.pass(SOON, relay);
    down[0] = false;
    stage.pass(SOON, relay);
  }

  private static void oneOfTwoIsLate(Stage stage) throws Exception {
    stage.publish("k");
    stage.admin().fleet().pauseHandler(HANDLER);
    SteppedRelay relay = withAudit(stage);
    relay.drain();
    stage.pass(SOON, relay);
    stage.admin().fleet().resumeHandler(HANDLER);
    stage.pass(SOON, relay);
  }

  private static void transactional(Stage stage) throws Exception {
    stage.publish("k");
    SteppedRelay alone = stage.relay(HandlerSpec::transactional, Stage::keeping);
    alone.drain();
    stage.stop(alone);
    stage.publish("k");
    SteppedRelay withAnother =
        stage.relay(
            HandlerSpec::transactional,
            builder -> builder.handler("audit", TYPE, String.class, nothing()));
    withAnother.drain();
  }

  private static void keyless(Stage stage) throws Exception {
    stage.publish((String) null);
    stage.answer = DeliveryResult.retryAfter(SOON);
    SteppedRelay relay = stage.relay();
    relay.drain();
    stage.answer = DeliveryResult.dead("no such customer");
    stage.pass(SOON, relay);
  }

  private static void passed(Stage stage) throws Exception {
    stage.publish("k");
    stage.publish("k");
    stage.answer = DeliveryResult.retryAfter(SOON);
    SteppedRelay relay =
        stage.relay(spec -> spec.lanePolicy(HandlerSpec.LanePolicy.PASS), builder -> {});
    relay.drain();
    stage.answer = DeliveryResult.delivered();
    stage.pass(SOON, relay);
  }

  /** The one relay is not done with what its second handler is paused for. */
  private static void handedOver(Stage stage) throws Exception {
    stage.admin().fleet().pauseHandler(HANDLER);
    SteppedRelay first = withAudit(stage);
    first.drain();
    for (int i = 0; i < 100; i++) {
      stage.publish("key-" + i);
    }
    first.drain();
    SteppedRelay second = withAudit(stage);
    for (int i = 0; i < 10; i++) {
      stage.database().clock().advance(Duration.ofMillis(100));
      second.drain();
      first.drain();
    }
    stage.admin().fleet().resumeHandler(HANDLER);
    stage.pass(SOON, first, second);
  }

  private static SteppedRelay withAudit(Stage stage) {
    return stage.relay(
        spec -> spec, builder -> builder.handler("audit", TYPE, String.class, nothing()));
  }

  private static <P> Handler<P> nothing() {
    return (payload, delivery) -> {};
  }
}
