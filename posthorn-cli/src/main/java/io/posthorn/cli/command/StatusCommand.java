/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.posthorn.cli.CommandFailure;
import io.posthorn.cli.ExitCode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What waits, and who is there. */
@Command(
    name = "status",
    description = "Show what waits, what was given up, and how many relays there are.",
    mixinStandardHelpOptions = true)
@SuppressWarnings("NullAway.Init") // picocli fills the fields
public final class StatusCommand implements Callable<Integer> {
  private static final int MAX_HANDLERS = 12;

  @Mixin private ApiOptions options;

  @Option(names = "--watch", description = "Show it again and again, until interrupted.")
  private boolean watch;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      defaultValue = "2",
      description = "How often; by default every ${DEFAULT-VALUE} s.")
  private int interval;

  @Option(
      names = "--times",
      paramLabel = "N",
      defaultValue = "2147483647",
      description = "With --watch: end after so many.")
  private int times;

  @Override
  public Integer call() throws InterruptedException {
    if (interval < 1) {
      throw new CommandFailure(
          ExitCode.USAGE, "--interval was %d but must be at least 1".formatted(interval));
    }
    Output output = options.output();
    try (AdminApi api = options.open()) {
      show(output, api);
      for (int shown = 1; watch && shown < times; shown++) {
        if (new CountDownLatch(1).await(interval, TimeUnit.SECONDS)) {
          break;
        }
        show(output, api);
      }
    }
    return ExitCode.OK;
  }

  private void show(Output output, AdminApi api) {
    JsonNode overview = api.get("overview");
    if (watch) {
      output.clear();
    }
    if (output.json()) {
      output.json(overview);
    } else {
      figures(output, overview);
      handlers(output, overview.path("byHandler"));
    }
    output.flush();
  }

  private static void figures(Output output, JsonNode overview) {
    String more = overview.path("capped").asBoolean() ? " or more" : "";
    long dead = overview.path("dead").asLong();
    long instances = overview.path("instances").asLong();
    output.table(
        List.of(
            List.of("at", overview.path("at").asText()),
            List.of("ready", overview.path("ready").asText() + more),
            List.of("oldest ready", overview.path("oldestReadySeconds").asText() + " s"),
            List.of("deferred", overview.path("deferred").asText() + more),
            List.of("dead letters", dead + more),
            List.of("relays", Long.toString(instances))));
    if (instances == 0) {
      output.line("");
      output.warn("no relay is running: nothing is delivered");
    }
  }

  private static void handlers(Output output, JsonNode byHandler) {
    Map<String, long[]> sums = new LinkedHashMap<>();
    for (JsonNode one : byHandler) {
      long[] sum = sums.computeIfAbsent(one.path("handler").asText(), name -> new long[2]);
      sum[0] += one.path("deferred").asLong();
      sum[1] += one.path("dead").asLong();
    }
    if (sums.isEmpty()) {
      return;
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("HANDLER", "DEFERRED", "DEAD"));
    sums.entrySet().stream()
        .limit(MAX_HANDLERS)
        .forEach(
            sum ->
                rows.add(
                    List.of(
                        sum.getKey(),
                        Long.toString(sum.getValue()[0]),
                        Long.toString(sum.getValue()[1]))));
    output.line("");
    output.table(rows);
    if (sums.size() > MAX_HANDLERS) {
      output.line("and %d more".formatted(sums.size() - MAX_HANDLERS));
    }
  }
}
