/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.posthorn.cli.CommandFailure;
import io.posthorn.cli.ExitCode;
import java.io.Console;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Has something done, on single entries or on all that match, and says to how many. */
final class ActionRunner {
  private final AdminApi api;
  private final Output output;
  private final @Nullable String why;
  private final ActionWait wait;

  ActionRunner(AdminApi api, Output output, @Nullable String why, ActionWait wait) {
    this.api = api;
    this.output = output;
    this.why = why;
    this.wait = wait;
  }

  ObjectNode request(String kind) {
    ObjectNode request = AdminApi.JSON.createObjectNode().put("kind", kind);
    return why == null ? request : request.put("why", why);
  }

  /** On these entries. */
  int onEntries(String kind, List<String> ids) {
    ObjectNode request = request(kind);
    ids.forEach(request.putArray("ids")::add);
    return run(request);
  }

  /**
   * On all that match, after they were counted and the operator has agreed.
   *
   * @param agreed whether nobody needs to be asked
   */
  int onAll(String kind, ObjectNode filter, boolean agreed) {
    ObjectNode request = request(kind);
    request.set("filter", filter);
    JsonNode count = api.act(UUID.randomUUID(), request.deepCopy().put("dryRun", true));
    long entries = count.path("entries").asLong();
    String many = (count.path("complete").asBoolean(true) ? "" : "more than ") + entries;
    if (entries == 0) {
      output.note("nothing matches");
      return ExitCode.FAILED;
    }
    if (!agreed && !asked("%s of %s match. Go on?".formatted(kind, many))) {
      return ExitCode.FAILED;
    }
    return run(request);
  }

  private static boolean asked(String question) {
    Console console = Terminal.console();
    if (console == null) {
      throw new CommandFailure(
          ExitCode.USAGE, question + " Nobody can be asked here: say so with --yes");
    }
    String answer = console.readLine("%s [y/N] ", question);
    return answer != null && answer.strip().equalsIgnoreCase("y");
  }

  int run(ObjectNode request) {
    JsonNode action;
    try {
      action = wait.untilEnded(UUID.randomUUID(), request);
    } finally {
      output.progressEnds();
    }
    if (output.json()) {
      output.json(action);
    } else {
      output.line(
          "%s: %d".formatted(action.path("kind").asText(), action.path("entries").asLong()));
    }
    return action.path("entries").asLong() > 0 ? ExitCode.OK : ExitCode.FAILED;
  }
}
