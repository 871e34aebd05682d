/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer;

import static io.posthorn.micrometer.Stage.HANDLER;
import static io.posthorn.micrometer.Stage.TYPE;
import static io.posthorn.micrometer.Stage.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.posthorn.Admin.Filter;
import io.posthorn.DeliveryResult;
import io.posthorn.Message;
import io.posthorn.micrometer.Stage.MeteredRelay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The table in docs/metrics.md lists what there is, and nothing else. */
class MetricsTableTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Pattern ROW =
      Pattern.compile(
          "^\\| `(posthorn\\.[^`]+)` \\| ([a-z ]+) \\| ([^|]*) \\|.*$", Pattern.MULTILINE);
  private static final Pattern TAG = Pattern.compile("`([^`]+)`");

  private final Stage stage = new Stage();

  @AfterEach
  void close() {
    stage.close();
  }

  /** What a row of the table tells of a meter. */
  private record Listed(String name, String type, Set<String> tags) {}

  private static Set<Listed> documented() throws IOException {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("docs/metrics.md"))) {
      root = root.getParent();
    }
    return ROW.matcher(Files.readString(root.resolve("docs/metrics.md")))
        .results()
        .map(row -> new Listed(row.group(1), row.group(2), tags(row.group(3))))
        .collect(Collectors.toSet());
  }

  private static Set<String> tags(String cell) {
    return TAG.matcher(cell)
        .results()
        .map((MatchResult tag) -> tag.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Listed listed(Meter meter) {
    return new Listed(
        meter.getId().getName(),
        meter.getId().getType().name().toLowerCase(Locale.ROOT),
        meter.getId().getTags().stream()
            .map(Tag::getKey)
            .filter(key -> !key.equals("instance")) // of this test
            .collect(Collectors.toCollection(TreeSet::new)));
  }

  @Test
  void theTableListsEachMeterWithItsTypeAndTags() throws Exception {
    registerAll(stage);

    Set<Listed> registered =
        stage.registry.getMeters().stream()
            .map(MetricsTableTest::listed)
            .collect(Collectors.toSet());
    assertThat(registered).containsExactlyInAnyOrderElementsOf(documented());
    assertThat(registered)
        .extracting(Listed::name)
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(MeterName.values()).map(name -> name.id).toList());
  }

  /** Lets everything happen that is counted. */
  static void registerAll(Stage stage) {
    letEverythingHappen(stage);
    tellEverything(new InboxMetrics(stage.registry));
  }

  private static void tellEverything(InboxMetrics inbox) {
    inbox.consumed("warehouse", 1);
    inbox.duplicate("warehouse", 1);
    inbox.failed("warehouse", 1);
    inbox.cacheHit("warehouse", 1);
    inbox.cacheMiss("warehouse", 1);
    inbox.purged(1);
  }

  private static void letEverythingHappen(Stage stage) {
    MeteredRelay first = stage.relay("first", any -> {});
    first.publish(message("a"));
    stage.clock.advance(Duration.ofSeconds(31));
    MeteredRelay relay = stage.relay("second", b -> b.relay(r -> r.retention(SECOND)));
    first.steps.step("lease"); // finds itself expelled
    first.posthorn.stop(Duration.ZERO);
    relay.publish(Message.of(TYPE).payload("x").expiresAt(stage.clock.instant()).build());
    relay.pass(SECOND.multipliedBy(3));
    stage.handling = (payload, delivery) -> DeliveryResult.ignored();
    relay.publish(message("b"));
    relay.drain();
    stage.failing();
    relay.publish(message("c"));
    relay.drain();
    relay.survey();
    relay.pass(SECOND.multipliedBy(3));
    relay.publish(message("d"));
    relay.survey();
    relay.posthorn.admin().deadLetters().retryAll(Filter.all().handler(HANDLER));
  }
}
