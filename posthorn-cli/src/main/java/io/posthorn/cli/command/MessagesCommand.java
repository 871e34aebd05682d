/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.posthorn.cli.ExitCode;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What waits or was delivered, or where one message is. */
@Command(
    name = "messages",
    description = "List messages that wait or were delivered, or show where one message is.",
    mixinStandardHelpOptions = true)
@SuppressWarnings("NullAway.Init") // picocli fills the fields
public final class MessagesCommand implements Callable<Integer> {
  /** The lists there are. */
  enum State {
    READY,
    DEFERRED,
    HISTORY
  }

  @Mixin private ApiOptions options;
  @Mixin private FilterOptions filter;

  @Parameters(
      arity = "0..1",
      paramLabel = "MESSAGE-ID",
      description = "Show where this message is, for each handler.")
  private @Nullable UUID messageId;

  @Option(
      names = "--state",
      defaultValue = "READY",
      paramLabel = "STATE",
      description = "${COMPLETION-CANDIDATES}; by default ${DEFAULT-VALUE}.")
  private State state;

  @Option(
      names = "--limit",
      defaultValue = "50",
      paramLabel = "N",
      description = "How many at the most; by default ${DEFAULT-VALUE}.")
  private int limit;

  @Override
  public Integer call() {
    Output output = options.output();
    try (AdminApi api = options.open()) {
      return messageId == null ? list(output, api) : story(output, api, messageId);
    }
  }

  private int list(Output output, AdminApi api) {
    String path =
        switch (state) {
          case READY -> "ready";
          case DEFERRED -> "deferred";
          case HISTORY -> "history";
        };
    List<String> fields =
        switch (state) {
          case READY -> List.of("/messageId", "/type", "/key", "/partition", "/createdAt");
          case DEFERRED ->
              List.of("/id", "/type", "/key", "/reason", "/attempts", "/dueAt", "/lastError");
          case HISTORY -> List.of("/id", "/messageId", "/type", "/key", "/deliveredAt");
        };
    List<String> headings =
        fields.stream().map(field -> field.substring(1).toUpperCase(Locale.ROOT)).toList();
    int found = Pages.print(output, Pages.read(api, path, filter.query(), limit), headings, fields);
    return found > 0 ? ExitCode.OK : ExitCode.FAILED;
  }

  private static int story(Output output, AdminApi api, UUID id) {
    JsonNode story = api.get("messages/" + id);
    output.json(story);
    boolean found =
        List.of("ready", "deferred", "dead", "history").stream()
            .anyMatch(place -> !story.path(place).isEmpty());
    return found ? ExitCode.OK : ExitCode.FAILED;
  }
}
