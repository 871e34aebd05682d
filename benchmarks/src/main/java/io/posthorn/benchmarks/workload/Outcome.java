/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one run measured.
 *
 * @param perSecond the workload's rate: commits, or messages handled
 * @param p50ms latency, null where the workload has none
 * @param failed why the run does not count, or null
 * @param more further figures by name
 */
public record Outcome(
    @Nullable Double perSecond,
    @Nullable Double p50ms,
    @Nullable Double p95ms,
    @Nullable Double p99ms,
    long lost,
    long duplicated,
    long outOfOrder,
    @Nullable String failed,
    Map<String, Double> more) {

  /** Processor time for each message, of the JVM and of the server. */
  public static final String JVM_MICROS = "jvmMicros";

  public static final String SERVER_MICROS = "serverMicros";

  /** What a message adds to a transaction. */
  public static final String ADDED_MICROS = "addedMicros";

  public static Outcome failed(String why) {
    return new Outcome(null, null, null, null, 0, 0, 0, why, Map.of());
  }

  /** Of a run that measured nothing. */
  public static Outcome nothing() {
    return of(new Audit(0, 0, 0), false);
  }

  static Outcome of(Audit audit, boolean keepsOrder) {
    String failed = null;
    if (audit.lost() > 0) {
      failed = audit.lost() + " messages lost";
    } else if (keepsOrder && audit.outOfOrder() > 0) {
      failed = audit.outOfOrder() + " messages out of order";
    }
    return new Outcome(
        null,
        null,
        null,
        null,
        audit.lost(),
        audit.duplicated(),
        audit.outOfOrder(),
        failed,
        Map.of());
  }

  Outcome perSecond(double rate) {
    return new Outcome(rate, p50ms, p95ms, p99ms, lost, duplicated, outOfOrder, failed, more);
  }

  Outcome latencies(Latencies latencies) {
    return new Outcome(
            perSecond,
            latencies.millis(0.50),
            latencies.millis(0.95),
            latencies.millis(0.99),
            lost,
            duplicated,
            outOfOrder,
            failed,
            more)
        .with("maxMs", latencies.millis(1));
  }

  Outcome with(String name, double value) {
    Map<String, Double> extended = new LinkedHashMap<>(more);
    extended.put(name, value);
    return new Outcome(
        perSecond, p50ms, p95ms, p99ms, lost, duplicated, outOfOrder, failed, extended);
  }

  Outcome failing(String why) {
    return new Outcome(
        perSecond,
        p50ms,
        p95ms,
        p99ms,
        lost,
        duplicated,
        outOfOrder,
        failed == null ? why : failed + "; " + why,
        more);
  }

  /** This rate with the other's latencies, and what both found. */
  Outcome and(Outcome other, boolean keepsOrder) {
    Audit sum =
        new Audit(lost + other.lost, duplicated + other.duplicated, outOfOrder + other.outOfOrder);
    Map<String, Double> all = new LinkedHashMap<>(more);
    all.putAll(other.more);
    return new Outcome(
        perSecond,
        other.p50ms,
        other.p95ms,
        other.p99ms,
        sum.lost(),
        sum.duplicated(),
        sum.outOfOrder(),
        of(sum, keepsOrder).failed,
        all);
  }
}
