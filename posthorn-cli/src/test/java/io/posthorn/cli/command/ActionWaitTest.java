/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.posthorn.cli.CommandFailure;
import io.posthorn.cli.ExitCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Half a second passes between two looks at an action. */
@Timeout(20)
class ActionWaitTest {
  private static final Duration STEP = Duration.ofMillis(500);

  private final UUID id = UUID.randomUUID();
  private final ObjectNode request = AdminApi.JSON.createObjectNode().put("kind", "RETRY");
  private final List<UUID> asked = new ArrayList<>();
  private Duration elapsed = Duration.ZERO;

  /** A process that dies once it has begun an action, or is away for a while. */
  private class Server implements AdminApi {
    private final int batchesPerRequest;
    private final int batches;
    private final Duration awayUntil;
    private int left;
    private int done;

    Server(int batches, int batchesPerRequest, Duration awayUntil) {
      this.batches = batches;
      this.batchesPerRequest = batchesPerRequest;
      this.awayUntil = awayUntil;
    }

    @Override
    public JsonNode act(UUID action, ObjectNode body) {
      asked.add(action);
      assertThat(body).isEqualTo(request);
      left = batchesPerRequest;
      return recorded();
    }

    @Override
    public JsonNode get(String path) {
      assertThat(path).isEqualTo("actions/" + id);
      if (elapsed.compareTo(awayUntil) < 0) {
        throw new CommandFailure(ExitCode.UNREACHABLE, "away");
      }
      if (left > 0) {
        left--;
        done++;
      }
      return recorded();
    }

    private JsonNode recorded() {
      return JSON.createObjectNode()
          .put("state", done >= batches ? "DONE" : "RUNNING")
          .put("changedAt", "after batch " + done)
          .put("entries", done);
    }

    @Override
    public void close() {}
  }

  private JsonNode run(AdminApi server, Duration timeout) {
    Output output = new Output(new CommandLine(CommandSpec.create()), false);
    return new ActionWait(
            server, output, timeout, () -> elapsed.toNanos(), () -> elapsed = elapsed.plus(STEP))
        .untilEnded(id, request);
  }

  @Test
  void oneThatStandsStillIsAskedForAgainWithTheSameId() {
    JsonNode action = run(new Server(4, 2, Duration.ZERO), Duration.ofHours(1));

    assertThat(action.path("entries").asInt()).isEqualTo(4);
    assertThat(asked).containsExactly(id, id);
    assertThat(elapsed)
        .isBetween(ActionWait.STANDSTILL, ActionWait.STANDSTILL.plus(STEP.multipliedBy(8)));
  }

  @Test
  void oneThatMovesIsAskedForOnce() {
    run(new Server(100, 100, Duration.ZERO), Duration.ofHours(1));

    assertThat(asked).containsExactly(id);
  }

  @Test
  void aServerThatIsRestartedIsWaitedFor() {
    JsonNode action = run(new Server(1, 1, ActionWait.OUTAGE.minusSeconds(1)), Duration.ofHours(1));

    assertThat(action.path("state").asText()).isEqualTo("DONE");
  }

  @Test
  void aServerThatStaysAwayIsGivenUp() {
    assertThatThrownBy(() -> run(new Server(1, 1, Duration.ofDays(1)), Duration.ofDays(1)))
        .isInstanceOfSatisfying(
            CommandFailure.class,
            failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.UNREACHABLE));
    assertThat(elapsed).isBetween(ActionWait.OUTAGE, ActionWait.OUTAGE.plusSeconds(2));
  }
}
