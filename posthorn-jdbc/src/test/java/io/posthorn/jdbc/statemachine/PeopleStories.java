/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.statemachine;

import static io.posthorn.jdbc.statemachine.Stage.HANDLER;
import static io.posthorn.jdbc.statemachine.Stage.HOUR;
import static io.posthorn.jdbc.statemachine.Stage.message;

import io.posthorn.ActionRun;
import io.posthorn.Admin;
import io.posthorn.DeliveryResult;
import io.posthorn.jdbc.fixture.SteppedRelay;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** What people do. */
final class PeopleStories implements Story.Book {
  private static final Duration SOON = Duration.ofSeconds(20);

  @Override
  public Map<String, Story> stories() {
    Map<String, Story> stories = new LinkedHashMap<>();
    stories.put("a dead letter is retried", letter((stage, admin) -> retry(stage)));
    stories.put(
        "a dead letter gets other headers",
        letter(
            (stage, admin) ->
                admin.deadLetters().setHeaders(stage.deadLetters().get(0), Map.of("a", "b"))));
    stories.put(
        "a dead letter is deleted",
        letter((stage, admin) -> admin.deadLetters().delete(stage.deadLetters())));
    stories.put(
        "a dead letter is resolved",
        letter((stage, admin) -> admin.deadLetters().resolve(stage.deadLetters())));
    stories.put("a blocking letter is retried", blocking((stage, admin) -> retry(stage)));
    stories.put(
        "a blocking letter is deleted",
        blocking((stage, admin) -> admin.deadLetters().delete(stage.deadLetters())));
    stories.put(
        "a blocking letter is resolved",
        blocking((stage, admin) -> admin.deadLetters().resolve(stage.deadLetters())));
    stories.put(
        "the lane of a dead letter is unblocked",
        blocking((stage, admin) -> admin.lanes().unblock(HANDLER, "k")));
    stories.put(
        "the marker of a dead letter is skipped",
        blocking((stage, admin) -> admin.lanes().skipHead(HANDLER, "k")));
    stories.put("a lane is blocked by hand", PeopleStories::blockedByHand);
    stories.put("a delayed message is cancelled", PeopleStories::delayedCancelled);
    stories.put("a delayed message is skipped", PeopleStories::delayedSkipped);
    stories.put("a resolved letter is reopened", letter(PeopleStories::reopened));
    stories.put("a delayed message is to run now", PeopleStories::delayedNow);
    stories.put("a delivered message is replayed", PeopleStories::replayed);
    stories.put("a message is cancelled and another goes on", PeopleStories::cancelled);
    return stories;
  }

  /** Something that a person does; the API of a process that keeps a history, or of none. */
  private interface Deed {
    void of(Stage stage, Admin admin) throws Exception;
  }

  private static Story letter(Deed deed) {
    return dead(DeliveryResult.dead("no such customer"), deed);
  }

  private static Story blocking(Deed deed) {
    return dead(DeliveryResult.blockLane("no such customer"), deed);
  }

  /** With a history, and without. */
  private static Story dead(DeliveryResult answer, Deed deed) {
    return stage -> {
      for (boolean keeping : new boolean[] {false, true}) {
        stage.publish("k");
        stage.answer = answer;
        SteppedRelay relay = stage.relay(spec -> spec, keeping ? Stage::keeping : builder -> {});
        relay.drain();
        stage.answer = DeliveryResult.delivered();
        stage.publish("k");
        deed.of(stage, relay.posthorn().admin());
        stage.pass(SOON, relay);
        stage.stop(relay);
      }
    };
  }

  private static void retry(Stage stage) {
    stage.admin().deadLetters().retry(stage.deadLetters());
  }

  private static void blockedByHand(Stage stage) throws Exception {
    stage.admin().lanes().block(HANDLER, "k");
    stage.publish("k");
    SteppedRelay relay = stage.relay();
    relay.drain();
    stage.admin().lanes().unblock(HANDLER, "k");
    stage.pass(SOON, relay);
  }

  private static void delayedCancelled(Stage stage) throws Exception {
    stage.publish(message("k").deliverAfter(HOUR));
    stage.admin().deferred().cancel(stage.deferred());
  }

  private static void delayedSkipped(Stage stage) throws Exception {
    stage.publish(message("k").deliverAfter(HOUR));
    stage.admin().deferred().skip(stage.deferred());
    retry(stage);
    stage.pass(SOON, stage.relay());
  }

  private static void reopened(Stage stage, Admin admin) {
    admin.deadLetters().resolve(stage.deadLetters());
    admin.history().reopenAll(Admin.Filter.all(), ActionRun.once());
  }

  private static void delayedNow(Stage stage) throws Exception {
    stage.publish(message("k").deliverAfter(HOUR));
    stage.admin().deferred().runNow(stage.deferred());
    stage.pass(SOON, stage.relay());
  }

  private static void replayed(Stage stage) throws Exception {
    stage.publish("k");
    SteppedRelay relay = stage.relay(spec -> spec, Stage::keeping);
    relay.drain();
    stage.admin().history().replay(stage.history());
    stage.pass(SOON, relay);
  }

  private static void cancelled(Stage stage) throws Exception {
    stage.publish("k");
    stage.publish("k");
    stage.answer = DeliveryResult.retryAfter(HOUR);
    SteppedRelay relay = stage.relay();
    relay.drain();
    stage.answer = DeliveryResult.delivered();
    stage.admin().deferred().cancel(stage.deferred().subList(0, 1));
    stage.pass(SOON, relay);
  }
}
