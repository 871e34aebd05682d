/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal;

import io.posthorn.RelayStatus;
import io.posthorn.RelayStatus.Program;
import io.posthorn.RelayStatus.Throughput;
import io.posthorn.internal.admin.StatusText;
import io.posthorn.internal.memory.HandlerLanes.WorkTime;
import io.posthorn.internal.memory.RelayMemory;
import io.posthorn.internal.run.Counters;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Says what a relay is doing: to its own process at any time, and to the fleet with each heartbeat.
 * Rates are those between the last two heartbeats.
 */
final class StatusReporter {
  private final String name;
  private final Program program;
  private final BooleanSupplier leaseValid;
  private final RelayMemory memory;
  private final Counters counters;
  private final Ticker ticker;
  private final FailureLog failures;
  private Map<String, Totals> before; // lease thread only
  private long beforeAt; // lease thread only
  private volatile Map<String, Throughput> rates = Map.of();

  /** What a handler has done since the start. */
  private record Totals(long delivered, long failed, WorkTime time) {
    static final Totals NONE = new Totals(0, 0, new WorkTime(0, 0));
  }

  StatusReporter(
      String name,
      Program program,
      BooleanSupplier leaseValid,
      RelayMemory memory,
      Counters counters,
      Ticker ticker,
      FailureLog failures) {
    this.name = name;
    this.program = program;
    this.leaseValid = leaseValid;
    this.memory = memory;
    this.counters = counters;
    this.ticker = ticker;
    this.failures = failures;
    this.before = totals();
    this.beforeAt = ticker.nanos();
  }

  /** What it does now. Any thread. */
  RelayStatus status() {
    return memory.status(
        new RelayMemory.About(name, program, leaseValid.getAsBoolean(), counters.counts()),
        this::throughput);
  }

  private Throughput throughput(String handler) {
    Throughput rate = rates.getOrDefault(handler, Throughput.NONE);
    return new Throughput(
        counters.delivered(handler),
        counters.failed(handler),
        rate.deliveredPerSecond(),
        rate.failedPerSecond(),
        rate.averageTime());
  }

  /**
   * The same as a text, with rates since the last call. A heartbeat goes on without it if it fails.
   * Lease thread only.
   */
  String report() {
    try {
      renewRates();
      return StatusText.of(status());
    } catch (RuntimeException e) {
      failures.callFailed("status report", e);
      return "";
    }
  }

  private void renewRates() {
    long now = ticker.nanos();
    double seconds = (double) (now - beforeAt) / TimeUnit.SECONDS.toNanos(1);
    if (seconds <= 0) {
      return;
    }
    Map<String, Totals> totals = totals();
    Map<String, Throughput> renewed = new HashMap<>();
    totals.forEach(
        (handler, after) ->
            renewed.put(handler, rate(before.getOrDefault(handler, Totals.NONE), after, seconds)));
    rates = Map.copyOf(renewed);
    before = totals;
    beforeAt = now;
  }

  private Map<String, Totals> totals() {
    Map<String, Totals> totals = new HashMap<>();
    memory
        .workTimes()
        .forEach(
            (handler, time) ->
                totals.put(
                    handler,
                    new Totals(counters.delivered(handler), counters.failed(handler), time)));
    return totals;
  }

  private static Throughput rate(Totals before, Totals after, double seconds) {
    long worked = after.time.deliveries() - before.time.deliveries();
    long nanos = after.time.nanos() - before.time.nanos();
    return new Throughput(
        after.delivered,
        after.failed,
        (after.delivered - before.delivered) / seconds,
        (after.failed - before.failed) / seconds,
        worked == 0 ? Duration.ZERO : Duration.ofNanos(nanos / worked));
  }
}
