/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.statemachine;

import static io.posthorn.jdbc.statemachine.Stage.HANDLER;
import static io.posthorn.jdbc.statemachine.Stage.HOUR;
import static io.posthorn.jdbc.statemachine.Stage.TYPE;

import io.posthorn.Admin.Filter;
import io.posthorn.DeliveryResult;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.fixture.SteppedRelay;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.UnreadableMessages;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A message that waits in the deferred table for its handler, in each of the ways it can, meets
 * everything that can happen to it there.
 */
final class DeferredStories implements Story.Book {
  @Override
  public Map<String, Story> stories() {
    Map<String, Story> stories = new LinkedHashMap<>();
    beginnings()
        .forEach(
            (beginning, first) ->
                endings()
                    .forEach(
                        (ending, then) ->
                            stories.put(beginning + ", then " + ending, first.then(then))));
    return stories;
  }

  /** Ends without a relay, with a message that is due or will be within the hour. */
  private static Map<String, Story> beginnings() {
    Map<String, Story> beginnings = new LinkedHashMap<>();
    beginnings.put("retrying", DeferredStories::retrying);
    beginnings.put("held", DeferredStories::held);
    beginnings.put("waiting", DeferredStories::waiting);
    beginnings.put("suspect", DeferredStories::suspect);
    beginnings.put("elsewhere", DeferredStories::elsewhere);
    beginnings.put("unclaimed", DeferredStories::unclaimed);
    return beginnings;
  }

  private static Map<String, Story> endings() {
    Map<String, Story> endings = new LinkedHashMap<>();
    endings.put("delivered", answered(DeliveryResult.delivered()));
    endings.put("kept", DeferredStories::kept);
    endings.put("delivered at REPEATABLE READ", DeferredStories::repeatably);
    endings.put("ignored", answered(DeliveryResult.ignored()));
    endings.put("failed", answered(DeliveryResult.retryAfter(HOUR)));
    endings.put("failed and not counted", answered(DeliveryResult.retryAfterUncounted(HOUR)));
    endings.put("dead", answered(DeliveryResult.dead("no such customer")));
    endings.put("dead and blocking", answered(DeliveryResult.blockLane("no such customer")));
    endings.put("among suspects", DeferredStories::amongSuspects);
    endings.put("its handler takes other types only", DeferredStories::otherType);
    endings.put("another version takes it", DeferredStories::anotherVersion);
    endings.put("nobody has its handler", DeferredStories::orphaned);
    endings.put("cancelled", stage -> stage.admin().deferred().cancel(stage.deferred()));
    endings.put("skipped", stage -> stage.admin().lanes().skipHead(HANDLER, "k"));
    return endings;
  }

  // --- beginnings

  private static void retrying(Stage stage) throws Exception {
    stage.publish("k");
    stage.answer = DeliveryResult.retryAfter(HOUR);
    SteppedRelay relay = stage.relay();
    relay.drain();
    stage.stop(relay);
    expect(stage, DeferReason.RETRYING);
  }

  /** What it stood behind is cancelled. */
  private static void held(Stage stage) throws Exception {
    stage.publish("k");
    stage.publish("k");
    stage.answer = DeliveryResult.retryAfter(HOUR);
    SteppedRelay relay = stage.relay();
    relay.drain();
    stage.stop(relay);
    stage.admin().deferred().cancel(stage.deferred().subList(0, 1));
    expect(stage, DeferReason.HELD);
  }

  /** The window is full of messages of a paused handler, while another has nothing to do. */
  private static void waiting(Stage stage) throws Exception {
    stage.admin().fleet().pauseHandler(HANDLER);
    stage.publish("k");
    stage.publish("of another partition");
    SteppedRelay relay =
        stage.relay(
            spec -> spec,
            builder ->
                builder
                    .relay(options -> options.windowMessages(2))
                    .handler("audit", "other", String.class, (text, delivery) -> {}));
    relay.drain();
    stage.stop(relay);
    stage.admin().fleet().resumeHandler(HANDLER);
    expect(stage, DeferReason.WAITING);
  }

  /** Its process died between the record of its attempt and its end. */
  private static void suspect(Stage stage) throws Exception {
    stage.publish("k");
    stage.twoCrashes();
    SteppedRelay relay = stage.relay();
    for (int pass = 0; pass < 20 && !has(stage, DeferReason.SUSPECT); pass++) {
      relay.steps().step("lease");
      relay.steps().step("read");
      relay.steps().step("settle");
    }
    stage.kill(relay);
    expect(stage, DeferReason.SUSPECT);
  }

  /** Its handler takes other types here. */
  private static void elsewhere(Stage stage) throws Exception {
    retrying(stage);
    stage.admin().deferred().runNow(stage.deferred());
    SteppedRelay relay = takingOtherTypes(stage);
    relay.drain();
    stage.stop(relay);
    expect(stage, DeferReason.ELSEWHERE);
  }

  /** The same, and no other instance has come. */
  private static void unclaimed(Stage stage) throws Exception {
    retrying(stage);
    stage.admin().deferred().runNow(stage.deferred());
    SteppedRelay relay = takingOtherTypes(stage);
    stage.pass(Duration.ofSeconds(70), relay);
    stage.stop(relay);
    expect(stage, DeferReason.UNCLAIMED);
  }

  private static boolean has(Stage stage, DeferReason reason) {
    return stage.admin().deferred().count(Filter.all().reason(reason)).entries() > 0;
  }

  private static void expect(Stage stage, DeferReason reason) {
    if (!has(stage, reason)) {
      throw new AssertionError("nothing is " + reason + ": " + stage.database().rows());
    }
  }

  // --- endings

  private static Story answered(DeliveryResult answer) {
    return stage -> {
      stage.answer = answer;
      dueNow(stage, spec -> {});
    };
  }

  private static void kept(Stage stage) {
    stage.answer = DeliveryResult.delivered();
    dueNow(stage, Stage::keeping);
  }

  /** The handler's transaction does not see what was added to its lane since. */
  private static void repeatably(Stage stage) {
    stage.admin().deferred().runNow(stage.deferred());
    stage.repeatableRead().drain();
  }

  /** The partition's owners have died again and again. */
  private static void amongSuspects(Stage stage) {
    stage.twoCrashes();
    stage.answer = DeliveryResult.delivered();
    dueNow(stage, builder -> {});
  }

  private static void dueNow(Stage stage, Consumer<Posthorn.Builder> settings) {
    stage.admin().deferred().runNow(stage.deferred());
    stage.relay(spec -> spec, settings).drain();
  }

  /** A policy that counts how often a message was looked at. */
  private static final class Counting implements UnreadableMessages {
    @Override
    public DeliveryResult unknownType(Envelope message, Duration waited, Duration grace) {
      return DeliveryResult.retryAfter(HOUR);
    }
  }

  private static SteppedRelay takingOtherTypes(Stage stage) {
    return stage.relayOf(
        builder ->
            builder
                .unreadableMessages(new Counting())
                .handler(HANDLER, "other", String.class, (text, delivery) -> {}));
  }

  private static void otherType(Stage stage) {
    stage.admin().deferred().runNow(stage.deferred());
    stage.pass(Duration.ofSeconds(70), takingOtherTypes(stage));
  }

  /** Another instance takes it, but does not own it. */
  private static void anotherVersion(Stage stage) {
    SteppedRelay relay = takingOtherTypes(stage);
    stage.pass(Duration.ofSeconds(70), relay);
    SteppedRelay other = stage.relay();
    stage.pass(Duration.ofSeconds(20), relay, other);
  }

  private static void orphaned(Stage stage) {
    stage.admin().deferred().runNow(stage.deferred());
    SteppedRelay relay =
        stage.relayOf(
            builder ->
                builder
                    .relay(options -> options.unknownTypeGrace(Duration.ofSeconds(30)))
                    .handler("audit", TYPE, String.class, (text, delivery) -> {}));
    stage.pass(Duration.ofSeconds(70), relay);
  }
}
