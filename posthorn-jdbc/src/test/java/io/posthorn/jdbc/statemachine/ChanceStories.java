/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.statemachine;

import static io.posthorn.jdbc.statemachine.Stage.HANDLER;
import static io.posthorn.jdbc.statemachine.Stage.TYPE;
import static io.posthorn.jdbc.statemachine.Stage.message;

import io.posthorn.Admin;
import io.posthorn.Admin.EntryId;
import io.posthorn.DeliveryResult;
import io.posthorn.HandlerSpec.LanePolicy;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.fixture.SteppedRelay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Relays come, go and die, handlers answer this and that, and people meddle, all by chance: for
 * moves that nobody has thought of. The same chance each time.
 */
final class ChanceStories implements Story.Book {
  private static final int STORIES = 4;
  private static final int TURNS = 120;

  @Override
  public Map<String, Story> stories() {
    Map<String, Story> stories = new LinkedHashMap<>();
    for (int seed = 1; seed <= STORIES; seed++) {
      Random random = new Random(seed);
      stories.put("seed " + seed, stage -> new Play(stage, random).run());
    }
    return stories;
  }

  /** One of them. */
  private static final class Play {
    private final Stage stage;
    private final Random random;
    private final List<SteppedRelay> relays = new ArrayList<>();

    Play(Stage stage, Random random) {
      this.stage = stage;
      this.random = random;
    }

    void run() throws Exception {
      for (int turn = 0; turn < TURNS; turn++) {
        switch (random.nextInt(8)) {
          case 0, 1 -> publish();
          case 2 -> stage.answer = oneOf(answers());
          case 3 -> startOrEnd();
          case 4 -> person();
          default -> work();
        }
      }
    }

    private <T> T oneOf(List<T> all) {
      return all.get(random.nextInt(all.size()));
    }

    private static List<DeliveryResult> answers() {
      return List.of(
          DeliveryResult.delivered(),
          DeliveryResult.ignored(),
          DeliveryResult.dead("no such customer"),
          DeliveryResult.blockLane("no such customer"),
          DeliveryResult.retryAfter(Duration.ofSeconds(15)),
          DeliveryResult.retryAfterUncounted(Duration.ofSeconds(15)));
    }

    private void publish() throws Exception {
      String key = random.nextInt(4) == 0 ? null : "k" + random.nextInt(3);
      Message.Builder message = random.nextInt(6) == 0 ? Message.of("unheard-of") : message(key);
      message.key(key).payload("{}");
      if (random.nextInt(6) == 0) {
        message.deliverAfter(Duration.ofSeconds(20));
      }
      if (random.nextInt(6) == 0) {
        message.expiresAt(stage.database().clock().instant().plusSeconds(30));
      }
      stage.publish(message);
    }

    private void startOrEnd() {
      if (relays.size() < 2) {
        relays.add(start());
        return;
      }
      SteppedRelay relay = relays.remove(random.nextInt(relays.size()));
      if (random.nextBoolean()) {
        stage.kill(relay);
      } else {
        stage.stop(relay);
      }
    }

    private SteppedRelay start() {
      LanePolicy policy = oneOf(List.of(LanePolicy.values()));
      int kind = random.nextInt(6);
      if (kind == 0) {
        return stage.relayOf(
            builder ->
                settings(builder).handler(HANDLER, "other", String.class, (text, delivery) -> {}));
      }
      return stage.relay(
          spec -> (kind == 1 ? spec : spec.lanePolicy(policy)),
          builder -> {
            settings(builder);
            if (kind == 2) {
              builder.handler("audit", TYPE, String.class, (text, delivery) -> {});
            }
            if (kind == 3) {
              builder.handler("late", "unheard-of", String.class, (text, delivery) -> {});
            }
          });
    }

    private Posthorn.Builder settings(Posthorn.Builder builder) {
      Duration retention = random.nextBoolean() ? Duration.ZERO : Duration.ofMinutes(2);
      int window = random.nextBoolean() ? 4 : 1_000;
      return builder.relay(
          options ->
              options
                  .retention(retention)
                  .windowMessages(window)
                  .unknownTypeGrace(Duration.ofSeconds(45)));
    }

    /** Some of the duties of a relay, or all that there is to do. */
    private void work() {
      stage.database().clock().advance(Duration.ofSeconds(random.nextInt(8)));
      for (SteppedRelay relay : relays) {
        if (random.nextInt(3) == 0) {
          relay.steps().step(oneOf(List.of("lease", "read", "settle")));
        } else {
          relay.drain();
        }
      }
    }

    private void person() {
      String key = "k" + random.nextInt(3);
      switch (random.nextInt(12)) {
        case 0 -> stage.admin().deadLetters().retry(some(stage.deadLetters()));
        case 1 -> stage.admin().deadLetters().delete(some(stage.deadLetters()));
        case 2 -> anybody().deadLetters().resolve(some(stage.deadLetters()));
        case 3 -> stage.admin().deferred().runNow(some(stage.deferred()));
        case 4 -> stage.admin().deferred().cancel(some(stage.deferred()));
        case 5 -> stage.admin().lanes().skipHead(HANDLER, key);
        case 6 -> stage.admin().lanes().block(HANDLER, key);
        case 7, 8 -> stage.admin().lanes().unblock(HANDLER, key);
        case 9 -> stage.admin().history().replay(some(stage.history()));
        case 10 -> stage.admin().fleet().pauseHandler(HANDLER);
        default -> stage.admin().fleet().resumeHandler(HANDLER);
      }
    }

    private Admin anybody() {
      return relays.isEmpty() ? stage.admin() : oneOf(relays).posthorn().admin();
    }

    private List<EntryId> some(List<EntryId> all) {
      return all.stream().filter(any -> random.nextBoolean()).toList();
    }
  }
}
