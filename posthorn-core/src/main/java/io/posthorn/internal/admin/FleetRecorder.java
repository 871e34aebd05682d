/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import io.posthorn.Admin.Survey;
import io.posthorn.Fleet.Instance;
import io.posthorn.Fleet.Rates;
import io.posthorn.Fleet.Sample;
import io.posthorn.RelayStatus;
import io.posthorn.RelayStatus.Counts;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.Duty;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the figures of the last hour in memory: of all relays as they report them, and of what
 * waits as the tables show it. Nothing is done for a single message.
 */
public final class FleetRecorder implements Duty {
  static final Duration INTERVAL = Duration.ofSeconds(10);
  static final int MAX_SAMPLES = 360;

  /** How many rows of a partition are counted; a survey ends there. */
  private static final int SURVEY_LIMIT = 1_000;

  private static final Rates NONE = new Rates(0, 0, 0, 0);

  private final Supplier<AdminStore> stores;
  private final Supplier<@Nullable Counts> own;
  private final Ticker ticker;
  private volatile List<Sample> samples = List.of(); // replaced by the duty's thread only
  private Map<String, Progress> relays = Map.of(); // the duty's thread only
  private @Nullable Instant lastAt; // the duty's thread only
  private long nextAt; // the duty's thread only

  /**
   * How far a process had come at its last report.
   *
   * @param rates between that and the one before
   */
  private record Progress(Instant at, Counts counts, Rates rates) {}

  /**
   * @param own what this process has counted, if it has no relay that reports it
   */
  public FleetRecorder(Supplier<AdminStore> stores, Supplier<@Nullable Counts> own, Ticker ticker) {
    this.stores = stores;
    this.own = own;
    this.ticker = ticker;
    this.nextAt = ticker.nanos();
  }

  @Override
  public String name() {
    return "figures";
  }

  /** The oldest first. Any thread. */
  public List<Sample> samples() {
    return samples;
  }

  @Override
  public StepResult runOnce() {
    Duration wait = Duration.ofNanos(Math.max(0, nextAt - ticker.nanos()));
    if (wait.isZero()) {
      nextAt = ticker.nanos() + INTERVAL.toNanos(); // after a failure, too
      takeSample();
      return new StepResult(1, INTERVAL);
    }
    return new StepResult(0, wait);
  }

  private void takeSample() {
    AdminStore store = stores.get();
    FleetView fleet = FleetView.of(store);
    Survey survey = store.survey(SURVEY_LIMIT);
    relays = progress(fleet, survey.at());
    if (lastAt != null) {
      add(sample(survey));
    }
    lastAt = survey.at();
  }

  private Map<String, Progress> progress(FleetView fleet, Instant now) {
    Map<String, Progress> renewed = new HashMap<>();
    for (Instance instance : fleet.instances()) {
      RelayStatus status = instance.status();
      Instant at = instance.heartbeatAt();
      if (instance.leaseValid() && status != null && at != null) {
        Instant startedAt = status.program().startedAt();
        String life = status.name() + " " + startedAt;
        renewed.put(life, progress(life, startedAt, at, status.counts()));
      }
    }
    Counts counted = own.get();
    if (counted != null) {
      renewed.put("", progress("", now, now, counted));
    }
    return renewed;
  }

  /** A relay that was not there before is new, or was not seen for a while. */
  private Progress progress(String life, Instant startedAt, Instant at, Counts counts) {
    Progress before = relays.get(life);
    if (before == null) {
      boolean isNew = lastAt != null && !startedAt.isBefore(lastAt) && startedAt.isBefore(at);
      return isNew
          ? new Progress(at, counts, rates(Counts.NONE, counts, startedAt, at))
          : new Progress(at, counts, NONE);
    }
    return at.isAfter(before.at)
        ? new Progress(at, counts, rates(before.counts, counts, before.at, at))
        : before;
  }

  private static Rates rates(Counts before, Counts after, Instant from, Instant to) {
    double seconds = (double) Duration.between(from, to).toNanos() / TimeUnit.SECONDS.toNanos(1);
    return new Rates(
        (after.published() - before.published()) / seconds,
        (after.delivered() - before.delivered()) / seconds,
        (after.retried() - before.retried()) / seconds,
        (after.dead() - before.dead()) / seconds);
  }

  private Sample sample(Survey survey) {
    return new Sample(
        survey.at(),
        relays.values().stream().map(Progress::rates).reduce(NONE, FleetRecorder::sum),
        survey.ready().stream().mapToLong(Survey.Ready::messages).sum(),
        survey.deferred().stream().mapToLong(Survey.Waiting::messages).sum(),
        survey.dead().stream().mapToLong(Survey.Waiting::messages).sum(),
        survey.capped(),
        survey.oldestReady(),
        survey.instances());
  }

  private static Rates sum(Rates one, Rates other) {
    return new Rates(
        one.published() + other.published(),
        one.delivered() + other.delivered(),
        one.retried() + other.retried(),
        one.dead() + other.dead());
  }

  private void add(Sample sample) {
    List<Sample> kept = new ArrayList<>(samples);
    kept.add(sample);
    int surplus = Math.max(0, kept.size() - MAX_SAMPLES);
    samples = List.copyOf(kept.subList(surplus, kept.size()));
  }
}
