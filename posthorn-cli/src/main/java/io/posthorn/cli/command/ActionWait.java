/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.posthorn.cli.CommandFailure;
import io.posthorn.cli.ExitCode;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Waits for the end of an action. One whose server was restarted, or lost its database, is recorded
 * as running and stands still: asked for again with the same id, it goes on where it was.
 */
final class ActionWait {
  private static final long PAUSE_MILLIS = 200;

  /** An action that has not moved for longer is asked for again. */
  static final Duration STANDSTILL = Duration.ofSeconds(5);

  /** For how long an API that does not answer is asked again. */
  static final Duration OUTAGE = Duration.ofSeconds(60);

  private final AdminApi api;
  private final Output output;
  private final Duration timeout;
  private final Ticker ticker;
  private final Runnable pause;

  /**
   * @param pause between two looks at the action
   */
  ActionWait(AdminApi api, Output output, Duration timeout, Ticker ticker, Runnable pause) {
    this.api = api;
    this.output = output;
    this.timeout = timeout;
    this.ticker = ticker;
    this.pause = pause;
  }

  static ActionWait of(AdminApi api, Output output, Duration timeout) {
    return new ActionWait(api, output, timeout, Ticker.system(), ActionWait::pause);
  }

  /**
   * Has something done.
   *
   * @return the action when it has ended
   * @throws CommandFailure if it is refused, is still running after the timeout, or the API has not
   *     answered for {@link #OUTAGE}
   */
  JsonNode untilEnded(UUID id, ObjectNode request) {
    long begunAt = ticker.nanos();
    JsonNode action = api.act(id, request);
    long answeredAt = ticker.nanos();
    long movedAt = answeredAt;
    while (action.path("state").asText().equals("RUNNING")) {
      long entries = action.path("entries").asLong();
      if (since(begunAt, timeout)) {
        throw stillRunning(id, entries);
      }
      output.progress("%d done so far".formatted(entries));
      pause.run();
      boolean standsStill = since(movedAt, STANDSTILL);
      try {
        JsonNode now = standsStill ? api.act(id, request) : api.get("actions/" + id);
        answeredAt = ticker.nanos();
        if (standsStill || !now.path("changedAt").equals(action.path("changedAt"))) {
          movedAt = answeredAt;
        }
        action = now;
      } catch (CommandFailure e) {
        if (e.exitCode() != ExitCode.UNREACHABLE || since(answeredAt, OUTAGE)) {
          throw e;
        }
        movedAt = ticker.nanos(); // it is looked at first, and asked for again if it stands still
      }
    }
    return action;
  }

  private boolean since(long nanos, Duration time) {
    return ticker.nanos() - nanos >= time.toNanos();
  }

  private CommandFailure stillRunning(UUID id, long entries) {
    return new CommandFailure(
        ExitCode.STILL_RUNNING,
        "action %s had not ended after %d s, with %d done. A server goes on with it; on a database it ends after its batch. Run the command again for what is left, or give a longer --timeout"
            .formatted(id, timeout.toSeconds(), entries));
  }

  private static void pause() {
    try {
      if (new CountDownLatch(1).await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException("nobody counts it down");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailure(ExitCode.FAILED, "interrupted; the action may go on");
    }
  }
}
