/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.statemachine;

import static io.posthorn.jdbc.statemachine.Stage.message;

import io.posthorn.DeliveryResult;
import io.posthorn.Handler;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.UnreadableMessages;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Messages of a type that nobody handles. */
final class UnknownTypeStories implements Story.Book {
  private static final String UNKNOWN = "unheard-of";
  private static final Duration LOOK = Duration.ofSeconds(40);

  @Override
  public Map<String, Story> stories() {
    Map<String, Story> stories = new LinkedHashMap<>();
    stories.put("a handler for it comes", UnknownTypeStories::handlerComes);
    stories.put("dead after the grace time", UnknownTypeStories::deadAfterGrace);
    stories.put("dead at once by the policy", policy(DeliveryResult.dead("unwanted")));
    stories.put("dropped at once by the policy", policy(DeliveryResult.ignored()));
    stories.put("dropped later", policyLater(DeliveryResult.ignored()));
    stories.put("looks are counted", policyLater(DeliveryResult.retryAfter(LOOK)));
    stories.put("cancelled", UnknownTypeStories::cancelled);
    stories.put("its dead letter is retried", UnknownTypeStories::retried);
    stories.put("its dead letter is resolved, and replayed", UnknownTypeStories::replayed);
    stories.put("perhaps a generic handler elsewhere", UnknownTypeStories::perhapsElsewhere);
    stories.put("a handler of another instance", UnknownTypeStories::elsewhere);
    stories.put("delayed", UnknownTypeStories::delayed);
    return stories;
  }

  private static Message.Builder unknown() {
    return Message.of(UNKNOWN).key("k").payload("{}");
  }

  private static SteppedRelay undecided(Stage stage) throws Exception {
    stage.publish(unknown());
    SteppedRelay relay =
        stage.relay(
            spec -> spec, builder -> builder.relay(options -> options.unknownTypeGrace(LOOK)));
    relay.drain();
    return relay;
  }

  private static void handlerComes(Stage stage) throws Exception {
    stage.stop(undecided(stage));
    SteppedRelay relay =
        stage.relayOf(builder -> builder.handler("late", UNKNOWN, String.class, nothing()));
    stage.pass(LOOK, relay);
  }

  private static void deadAfterGrace(Stage stage) throws Exception {
    stage.pass(LOOK.multipliedBy(2), undecided(stage));
  }

  /** Says the same of each. */
  private record Policy(DeliveryResult first, DeliveryResult later) implements UnreadableMessages {
    @Override
    public DeliveryResult unknownType(Envelope message, Duration waited, Duration grace) {
      return waited.isZero() ? first : later;
    }
  }

  private static Story policy(DeliveryResult answer) {
    return deciding(new Policy(answer, answer));
  }

  private static Story policyLater(DeliveryResult answer) {
    return deciding(new Policy(DeliveryResult.retryAfter(Duration.ofSeconds(5)), answer));
  }

  private static Story deciding(Policy policy) {
    return stage -> {
      stage.publish(unknown());
      SteppedRelay relay = stage.relay(spec -> spec, builder -> builder.unreadableMessages(policy));
      relay.drain();
      stage.pass(LOOK, relay);
    };
  }

  private static void cancelled(Stage stage) throws Exception {
    undecided(stage);
    stage.admin().deferred().cancel(stage.deferred());
  }

  private static void retried(Stage stage) throws Exception {
    SteppedRelay relay = undecided(stage);
    stage.pass(LOOK.multipliedBy(2), relay);
    stage.stop(relay);
    stage.admin().deadLetters().retry(stage.deadLetters());
    SteppedRelay next =
        stage.relayOf(builder -> builder.handler("late", UNKNOWN, String.class, nothing()));
    stage.pass(LOOK, next);
  }

  private static void replayed(Stage stage) throws Exception {
    stage.pass(LOOK.multipliedBy(2), undecided(stage));
    SteppedRelay keeping = stage.relay(spec -> spec, Stage::keeping);
    keeping.posthorn().admin().deadLetters().resolve(stage.deadLetters());
    stage.admin().history().replay(stage.history());
    stage.pass(LOOK, keeping);
  }

  private static void perhapsElsewhere(Stage stage) throws Exception {
    SteppedRelay other =
        stage.relayOf(
            builder -> builder.handler(HandlerSpec.generic("some", any -> false, nothing())));
    SteppedRelay relay = stage.relay();
    stage.pass(LOOK, other, relay);
    stage.publish(unknown());
    stage.publish(message("k"));
    stage.pass(LOOK, other, relay);
  }

  private static void elsewhere(Stage stage) throws Exception {
    SteppedRelay other =
        stage.relayOf(builder -> builder.handler("late", UNKNOWN, String.class, nothing()));
    SteppedRelay relay = stage.relay();
    stage.pass(LOOK, other, relay);
    for (int i = 0; i < 20; i++) {
      stage.publish(unknown().key("key-" + i));
      stage.publish(message("key-" + i));
    }
    stage.pass(LOOK, other, relay);
    for (SteppedRelay each : List.of(other, relay)) {
      stage.stop(each);
    }
  }

  private static void delayed(Stage stage) throws Exception {
    stage.publish(unknown().deliverAfter(LOOK));
    SteppedRelay relay = stage.relay();
    stage.pass(LOOK.multipliedBy(2), relay);
  }

  private static <P> Handler<P> nothing() {
    return (payload, delivery) -> {};
  }
}
