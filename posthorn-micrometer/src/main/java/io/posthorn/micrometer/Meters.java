/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The meters of one outbox, made when they are first needed. The registry is asked for each of them
 * once, because finding one costs more than counting. Safe to share between threads.
 */
final class Meters {
  private final MeterRegistry registry;
  private final Tags common;
  private final Map<Key, Counter> counters = new ConcurrentHashMap<>();
  private final Map<Key, Timer> timers = new ConcurrentHashMap<>();
  private final Queue<Meter> gauges = new ConcurrentLinkedQueue<>();

  private record Key(MeterName name, List<String> tags) {}

  Meters(MeterRegistry registry, Tags common) {
    this.registry = registry;
    this.common = common;
  }

  /**
   * @param tags names and values in turn
   */
  void count(MeterName name, long by, String... tags) {
    counters
        .computeIfAbsent(
            new Key(name, List.of(tags)),
            key ->
                Counter.builder(name.id)
                    .description(name.description)
                    .tags(common.and(tags))
                    .register(registry))
        .increment((double) by);
  }

  void record(MeterName name, Duration time, String... tags) {
    timers
        .computeIfAbsent(
            new Key(name, List.of(tags)),
            key ->
                Timer.builder(name.id)
                    .description(name.description)
                    .tags(common.and(tags))
                    .register(registry))
        .record(time);
  }

  void gauge(MeterName name, Supplier<Number> value, String... tags) {
    gauges.add(
        Gauge.builder(name.id, value)
            .description(name.description)
            .tags(common.and(tags))
            .register(registry));
  }

  /** A gauge of milliseconds, shown in the unit that the registry prefers. */
  void timeGauge(MeterName name, Supplier<Number> millis) {
    gauges.add(
        TimeGauge.builder(name.id, millis, TimeUnit.MILLISECONDS)
            .description(name.description)
            .tags(common)
            .register(registry));
  }

  /** Takes the gauges away: nobody keeps them true any more. Totals stay. */
  void removeGauges() {
    for (Meter gauge = gauges.poll(); gauge != null; gauge = gauges.poll()) {
      registry.remove(gauge);
    }
  }
}
