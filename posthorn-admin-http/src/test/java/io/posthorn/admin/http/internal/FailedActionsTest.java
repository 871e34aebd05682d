/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.posthorn.ActionRun;
import io.posthorn.Admin;
import io.posthorn.Admin.Filter;
import io.posthorn.AdminAction;
import io.posthorn.AdminAction.State;
import io.posthorn.admin.http.AdminScene;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Actions that fail in the middle. */
class FailedActionsTest {
  private final AdminScene scene = new AdminScene(admin -> admin);
  private final UUID id = UUID.randomUUID();
  private final ActionRunner.Key key = new ActionRunner.Key("orders", id);
  private final CountDownLatch asked = new CountDownLatch(1);
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final Logger logger = Logger.getLogger(ActionRunner.class.getName());
  private final Handler recorder =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          lines.add(line.getMessage() + Arrays.toString(line.getParameters()) + line.getThrown());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    logger.addHandler(recorder);
  }

  @AfterEach
  void end() {
    logger.removeHandler(recorder);
    scene.close();
  }

  private Admin admin() {
    return scene.posthorn().admin();
  }

  private AdminAction marked(ActionRun run) {
    return admin()
        .deadLetters()
        .editAllHeaders(
            Filter.all(),
            new io.posthorn.DeadLetters.HeaderEdit(Map.of("seen", "yes"), java.util.Set.of()),
            run);
  }

  /** Fails after its first batch, once the client has been told that it goes on. */
  private AdminAction failLate(ActionRun run) {
    return marked(
        run.whileTrue(
            action -> {
              try {
                assertThat(asked.await(10, SECONDS)).isTrue();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              throw new IllegalStateException(AdminScene.SECRET);
            }));
  }

  @Test
  void aFailureThatNoRequestIsToldOfIsLoggedAndShownUntilItIsAskedForAgain() throws Exception {
    scene.publishFatal(io.posthorn.spi.AdminStore.MOST_IDS + 1);
    try (ActionRunner runner = new ActionRunner(1, Duration.ofMillis(300))) {
      assertThat(runner.run(key, "body", admin(), this::failLate).state()).isEqualTo(State.RUNNING);
      assertThat(runner.standsStill(key)).isFalse();
      asked.countDown();

      assertThat(lines.poll(10, SECONDS))
          .contains(id.toString(), "IllegalStateException")
          .doesNotContain(AdminScene.SECRET);
      assertThat(runner.standsStill(key)).isTrue();
      JsonNode shown = new ObjectMapper().readTree(Json.bytes(Actions.shown(action(), true)));
      assertThat(shown.get("standsStill").asBoolean()).isTrue();
      OpenApi.DESCRIPTION.check("GET /actions/{action}", 200, "application/json", shown);
    }
    try (ActionRunner again = new ActionRunner(1, Duration.ofSeconds(10))) {
      assertThat(again.run(key, "body", admin(), this::marked).state()).isEqualTo(State.DONE);
      assertThat(again.standsStill(key)).isFalse();
    }
  }

  private AdminAction action() {
    return admin().actions().find(id).orElseThrow();
  }

  @Test
  void aFailureThatARequestIsToldOfIsNotLoggedTwice() {
    try (ActionRunner runner = new ActionRunner(1, Duration.ofSeconds(10))) {
      assertThatThrownBy(
              () ->
                  runner.run(
                      key,
                      "body",
                      admin(),
                      run -> {
                        throw new IllegalStateException("down");
                      }))
          .isInstanceOf(IllegalStateException.class);
      assertThat(runner.standsStill(key)).isTrue();
      assertThat(lines).isEmpty();
    }
  }
}
