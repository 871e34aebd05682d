/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static java.time.temporal.ChronoUnit.SECONDS;

import io.posthorn.Admin.Survey;
import io.posthorn.Posthorn;
import io.posthorn.RelayStatus;
import io.posthorn.RelayStatus.HandlerStatus;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Judges whether an outbox is well. It is not if its relay is dead, if messages have waited for too
 * long, or if that cannot be found out; all else is told as details. Safe to share between threads.
 *
 * <p>A message that was published with a delay is as old as its publishing and yet in time, so an
 * age counts only if it is too high in two looks with some time between them.
 */
final class OutboxHealth {
  /** How long a message that has just fallen due is given, at least. */
  static final Duration SECOND_LOOK = Duration.ofSeconds(10);

  /** Of one partition; a few of them say how old the oldest is. */
  private static final int SURVEY_LIMIT = 100;

  private final Posthorn posthorn;
  private final Limits limits;
  private final Ticker ticker;
  private final SurveyLook surveys;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Long startedAt; // guarded by lock, as all below; on the ticker, as all
  private boolean stopped;
  private @Nullable Long withoutLeaseSince;
  private @Nullable Long tooOldSince;

  /**
   * What is too much.
   *
   * @param publishOnly there is no relay
   * @param startupDelay for which the relay has no lease
   */
  record Limits(boolean publishOnly, Duration maxAge, Duration lease, Duration startupDelay) {}

  /**
   * What was found.
   *
   * @param details by name; what is in order is left out
   */
  record Verdict(boolean up, Map<String, Object> details) {}

  OutboxHealth(Posthorn posthorn, Limits limits, Ticker ticker) {
    this.posthorn = posthorn;
    this.limits = limits;
    this.ticker = ticker;
    this.surveys = new SurveyLook(() -> posthorn.admin().survey(SURVEY_LIMIT), ticker);
  }

  /** From now on its relay should run. */
  void started() {
    lock.lock();
    try {
      startedAt = ticker.nanos();
    } finally {
      lock.unlock();
    }
  }

  /** From now on it should not. */
  void stopping() {
    lock.lock();
    try {
      stopped = true;
    } finally {
      lock.unlock();
    }
  }

  /** May wait for the database: as long as the pool waits for a connection and a query takes. */
  Verdict verdict() {
    SurveyLook.Look look = surveys.get();
    RelayStatus relay = posthorn.status().orElse(null);
    Map<String, Object> details = new LinkedHashMap<>();
    List<String> problems = new ArrayList<>();
    lock.lock();
    try {
      judgeRelay(relay, details, problems);
      judgeAge(look, details, problems);
    } finally {
      lock.unlock();
    }
    if (relay != null) {
      describe(relay, details);
    }
    if (!problems.isEmpty()) {
      details.put("problems", List.copyOf(problems));
    }
    return new Verdict(problems.isEmpty(), details);
  }

  private void judgeRelay(
      @Nullable RelayStatus relay, Map<String, Object> details, List<String> problems) {
    if (limits.publishOnly) {
      details.put("relay", "in other processes");
    } else if (relay != null) {
      details.put("relay", "running");
      judgeLease(relay, problems);
    } else if (stopped) {
      details.put("relay", "stopped");
    } else if (startedAt == null) {
      details.put("relay", "not started");
    } else {
      details.put("relay", "dead");
      problems.add("the relay was started but is not running; restart the process");
    }
  }

  private void judgeLease(RelayStatus relay, List<String> problems) {
    long now = ticker.nanos();
    if (startedAt == null) {
      startedAt = now; // by hand
    }
    if (relay.leaseValid()) {
      withoutLeaseSince = null;
      return;
    }
    if (withoutLeaseSince == null) {
      withoutLeaseSince = now;
    }
    long mayLackUntil = startedAt + limits.startupDelay.toNanos();
    long since = mayLackUntil - withoutLeaseSince > 0 ? mayLackUntil : withoutLeaseSince;
    if (now - since > limits.lease.toNanos()) {
      problems.add(
          "the relay \"%s\" has had no valid lease for %s, longer than the lease (%s)"
              .formatted(relay.name(), Duration.ofNanos(now - since), limits.lease));
    }
  }

  private void judgeAge(SurveyLook.Look look, Map<String, Object> details, List<String> problems) {
    Survey survey = look.survey();
    if (survey == null) {
      problems.add("it can't be seen what waits: " + look.problem());
      return;
    }
    Duration age = survey.oldestReady();
    if (!age.isZero()) {
      details.put("oldestAge", age.truncatedTo(SECONDS).toString());
    }
    long dead = survey.dead().stream().mapToLong(Survey.Waiting::messages).sum();
    putIfAny("deadLetters", dead, details);
    if (age.compareTo(limits.maxAge) <= 0) {
      tooOldSince = null;
      return;
    }
    if (tooOldSince == null) {
      tooOldSince = look.at();
    }
    if (look.at() - tooOldSince >= SECOND_LOOK.toNanos()) {
      problems.add(
          "the oldest message has waited for %s, longer than posthorn.health.max-age (%s)"
              .formatted(age.truncatedTo(SECONDS), limits.maxAge));
    }
  }

  private static void describe(RelayStatus relay, Map<String, Object> details) {
    putIfAny("blockedLanes", relay.blockedLanes(), details);
    putIfAny("openCircuits", names(relay, HandlerStatus::circuitOpen), details);
    putIfAny("unavailable", unavailable(relay), details);
    putIfAny("paused", names(relay, HandlerStatus::paused), details);
  }

  /** Topics and exchanges that are unavailable, each behind the name of its sender. */
  private static List<String> unavailable(RelayStatus relay) {
    return relay.handlers().entrySet().stream()
        .flatMap(
            handler ->
                handler.getValue().unavailable().stream()
                    .map(destination -> handler.getKey() + ": " + destination))
        .sorted()
        .toList();
  }

  private static List<String> names(RelayStatus relay, Predicate<HandlerStatus> wanted) {
    return relay.handlers().entrySet().stream()
        .filter(handler -> wanted.test(handler.getValue()))
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }

  private static void putIfAny(String name, long count, Map<String, Object> details) {
    if (count > 0) {
      details.put(name, count);
    }
  }

  private static void putIfAny(String name, List<String> names, Map<String, Object> details) {
    if (!names.isEmpty()) {
      details.put(name, names);
    }
  }
}
