/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The dashboard for Grafana and the alerts for Prometheus name what a scrape shows. */
class PrometheusFilesTest {
  private static final Pattern METRIC = Pattern.compile("posthorn_[a-z_]+");
  private static final Pattern GROUPED = Pattern.compile("by \\(([^)]*)\\)");
  private static final Pattern SELECTED = Pattern.compile("([a-z_]+)=~?\"");
  private static final Pattern LEGEND = Pattern.compile("\\{\\{ ?(?:\\$labels\\.)?([a-z_]+) ?}}");
  private static final Pattern SAMPLE =
      Pattern.compile("^(posthorn_[a-z_]+)(?:\\{([^}]*)})? ", Pattern.MULTILINE);
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"");

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Stage stage = new Stage(registry);

  @AfterEach
  void close() {
    stage.close();
  }

  private static Path root() {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("operations"))) {
      root = root.getParent();
    }
    return root;
  }

  private static String text(String file) throws IOException {
    return Files.readString(root().resolve(file));
  }

  /** YAML can read JSON too. */
  private static Object parsed(String file) throws IOException {
    return new Yaml(new SafeConstructor(new LoaderOptions())).load(text(file));
  }

  /** What has a name like this, however deep. */
  private static List<String> texts(Object node, String name) {
    List<String> found = new ArrayList<>();
    if (node instanceof Map<?, ?> map) {
      map.forEach(
          (key, value) -> {
            if (key.equals(name) && value instanceof String text) {
              found.add(text);
            }
            found.addAll(texts(value, name));
          });
    } else if (node instanceof List<?> list) {
      list.forEach(item -> found.addAll(texts(item, name)));
    }
    return found;
  }

  /** The label names of each metric, as Prometheus sees them. */
  private Map<String, Set<String>> scraped() {
    MetricsTableTest.registerAll(stage);
    Map<String, Set<String>> metrics = new LinkedHashMap<>();
    SAMPLE
        .matcher(registry.scrape())
        .results()
        .forEach(
            sample -> {
              String labels = sample.group(2) == null ? "" : sample.group(2);
              metrics.put(sample.group(1), all(LABEL, labels));
            });
    return metrics;
  }

  private static Set<String> all(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map((MatchResult found) -> found.group(1))
        .collect(Collectors.toSet());
  }

  private static Set<String> labelsOf(String expression) {
    Set<String> labels = all(SELECTED, expression);
    all(GROUPED, expression)
        .forEach(list -> labels.addAll(List.of(list.replace(" ", "").split(",", -1))));
    labels.remove("instance"); // Prometheus adds it to what it scrapes
    return labels;
  }

  private static void check(Map<String, Set<String>> scraped, String expression) {
    Set<String> metrics =
        METRIC.matcher(expression).results().map(MatchResult::group).collect(Collectors.toSet());
    assertThat(metrics).as(expression).isNotEmpty().isSubsetOf(scraped.keySet());
    for (String metric : metrics) {
      assertThat(scraped.get(metric))
          .as(metric + " in " + expression)
          .containsAll(labelsOf(expression));
    }
    assertThat(expression.chars().filter(c -> c == '(').count())
        .as("brackets of " + expression)
        .isEqualTo(expression.chars().filter(c -> c == ')').count());
  }

  @Test
  void eachMetricOfTheDashboardExists() throws IOException {
    Map<String, Set<String>> scraped = scraped();
    List<String> expressions = texts(parsed("operations/grafana-dashboard.json"), "expr");

    assertThat(expressions).hasSizeGreaterThan(25);
    assertThat(expressions).allSatisfy(expression -> check(scraped, expression));
  }

  @Test
  void theDashboardShowsAllMetrics() throws IOException {
    Set<String> shown = new HashSet<>();
    for (String expression : texts(parsed("operations/grafana-dashboard.json"), "expr")) {
      METRIC.matcher(expression).results().map(MatchResult::group).forEach(shown::add);
    }

    Set<String> hidden = new HashSet<>(scraped().keySet());
    hidden.removeAll(shown);
    assertThat(hidden)
        .containsExactlyInAnyOrder(
            "posthorn_inbox_cache_hit_total",
            "posthorn_inbox_cache_miss_total",
            "posthorn_inbox_purged_total");
  }

  @Test
  void legendsNameLabelsOfTheirExpressions() throws IOException {
    Object dashboard = parsed("operations/grafana-dashboard.json");
    List<String> expressions = texts(dashboard, "expr");
    List<String> legends = texts(dashboard, "legendFormat");

    assertThat(legends).hasSameSizeAs(expressions);
    for (int i = 0; i < legends.size(); i++) {
      Set<String> labels = labelsOf(expressions.get(i));
      labels.add("instance");
      assertThat(labels).as(expressions.get(i)).containsAll(all(LEGEND, legends.get(i)));
    }
  }

  // --- alerts

  /** A rule of the alerts' file. */
  private record Alert(String name, String expression, String summary, String runbook) {}

  private static List<Alert> alerts() throws IOException {
    Object rules = parsed("operations/prometheus-alerts.yaml");
    List<String> names = texts(rules, "alert");
    List<String> expressions = texts(rules, "expr");
    List<String> summaries = texts(rules, "summary");
    List<String> runbooks = texts(rules, "runbook");
    List<Alert> alerts = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      alerts.add(new Alert(names.get(i), expressions.get(i), summaries.get(i), runbooks.get(i)));
    }
    return alerts;
  }

  @Test
  void eachMetricOfTheAlertsExists() throws IOException {
    Map<String, Set<String>> scraped = scraped();

    assertThat(alerts()).hasSizeGreaterThan(10);
    assertThat(alerts())
        .allSatisfy(
            alert -> {
              check(scraped, alert.expression);
              Set<String> labels = labelsOf(alert.expression);
              labels.add("instance");
              assertThat(labels).as(alert.name).containsAll(labelsIn(alert.summary));
            });
  }

  private static Set<String> labelsIn(String summary) {
    return all(Pattern.compile("\\$labels\\.([a-z_]+)"), summary);
  }

  @Test
  void eachAlertHasASectionThatSaysWhatItMeansWhereToLookAndWhatToDo() throws IOException {
    List<String> sections =
        Stream.of(text("docs/operations.md").split("\n### ", -1))
            .filter(section -> section.startsWith("Posthorn"))
            .toList();

    assertThat(alerts())
        .extracting(Alert::name)
        .containsExactlyElementsOf(
            sections.stream().map(section -> section.lines().findFirst().orElseThrow()).toList());
    assertThat(sections)
        .allSatisfy(
            section -> assertThat(section).contains("**It means:** ", "**Look at:** ", "**Do:** "));
    assertThat(alerts())
        .allSatisfy(
            alert ->
                assertThat(alert.runbook)
                    .isEqualTo("docs/operations.md#" + alert.name.toLowerCase(Locale.ROOT)));
  }
}
