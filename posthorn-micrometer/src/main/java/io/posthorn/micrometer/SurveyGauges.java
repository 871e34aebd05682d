/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingLong;
import static java.util.stream.Collectors.toMap;

import io.posthorn.Admin.Survey;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Gauges of the last survey. What was there once and is no longer shows as zero: a series that ends
 * would keep an alert going, or hide that it is over. Guarded by the lock of the metrics, but for
 * the reading.
 */
final class SurveyGauges {
  private final Meters meters;
  private final Ticker ticker;
  private final Set<Row> known = new HashSet<>();
  private volatile @Nullable Taken last;

  /** A gauge of which there is one for each set of tags. */
  private record Row(MeterName name, List<String> tags) {}

  /**
   * A survey, added up.
   *
   * @param rows what was counted; the others are zero
   * @param at when it was taken, on the ticker
   */
  private record Taken(Survey survey, Map<Row, Long> rows, long at) {}

  SurveyGauges(Meters meters, Ticker ticker) {
    this.meters = meters;
    this.ticker = ticker;
  }

  void bind() {
    meters.timeGauge(MeterName.OLDEST_AGE, () -> of(taken -> millis(taken.survey.oldestReady())));
    meters.gauge(MeterName.INSTANCES, () -> of(taken -> taken.survey.instances()));
    meters.gauge(MeterName.SURVEY_CAPPED, () -> of(taken -> taken.survey.capped() ? 1 : 0));
    meters.timeGauge(
        MeterName.SURVEY_AGE,
        () -> of(taken -> millis(Duration.ofNanos(ticker.nanos() - taken.at))));
    meters.count(MeterName.SURVEY_FAILURES, 0);
  }

  private static double millis(Duration time) {
    return time.toNanos() / 1e6;
  }

  /** Not a number until there was a survey: zero would be a claim. */
  private double of(ToDoubleFunction<Taken> value) {
    Taken taken = last;
    return taken == null ? Double.NaN : value.applyAsDouble(taken);
  }

  void show(Survey survey) {
    Map<Row, Long> rows =
        survey.ready().stream()
            .collect(
                groupingBy(
                    counted -> row(MeterName.READY, "type", counted.type()),
                    summingLong(Survey.Ready::messages)));
    rows.putAll(
        survey.ready().stream()
            .collect(
                groupingBy(
                    counted ->
                        row(MeterName.PENDING, "partition", Integer.toString(counted.partition())),
                    summingLong(Survey.Ready::messages))));
    rows.putAll(waiting(MeterName.DEFERRED, survey.deferred()));
    rows.putAll(waiting(MeterName.DEAD, survey.dead()));
    last = new Taken(survey, Map.copyOf(rows), ticker.nanos());
    rows.keySet().stream().filter(known::add).forEach(this::add);
  }

  private static Row row(MeterName name, String... tags) {
    return new Row(name, List.of(tags));
  }

  private static Map<Row, Long> waiting(MeterName name, List<Survey.Waiting> counted) {
    return counted.stream()
        .collect(
            toMap(
                waiting -> row(name, "handler", waiting.handler(), "type", waiting.type()),
                Survey.Waiting::messages,
                Long::sum));
  }

  private void add(Row row) {
    meters.gauge(
        row.name,
        () -> of(taken -> taken.rows.getOrDefault(row, 0L)),
        row.tags.toArray(String[]::new));
  }
}
