/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * The figures of a run, for people and for programs.
 *
 * @param killedAt when the second relay was killed
 * @param elapsed from the first order to the end
 * @param drained whether the outbox was empty in the end
 */
record Outcome(
    Verdict verdict,
    Commits commits,
    long retries,
    Duration killedAt,
    Outage.Summary outage,
    Duration elapsed,
    boolean drained) {

  boolean good() {
    return verdict.good() && drained;
  }

  /** The explanation, and as the last line the verdict. */
  List<String> lines() {
    return List.of(
        "rolled back    %d messages with their transaction, %d to a savepoint"
            .formatted(commits.rolledBack(), commits.rolledBackToSavepoint()),
        "phantoms       %d deliveries of messages that were rolled back"
            .formatted(verdict.phantoms()),
        "retries        %d, and %d poisoned messages dead after %d attempts"
            .formatted(retries, verdict.deadLetters().found(), DemoHandlers.ATTEMPTS),
        "mail server    %d messages waited while it was down; %d unexpected dead letters"
            .formatted(outage.waited(), verdict.deadLetters().unexpected()),
        String.format(
            Locale.ROOT,
            "killed         %s after %.1f s; %d deliveries came again that it had made and not settled",
            Crash.KILLED,
            LiveView.seconds(killedAt),
            verdict.explainedDuplicates()),
        drained
            ? "left over      nothing in the outbox"
            : "left over      the outbox was not empty in time, see the logs",
        verdict.line());
  }

  String json() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("published", verdict.published());
    figures.put("delivered", verdict.delivered());
    figures.put("lost", verdict.lost());
    figures.put("duplicated", verdict.duplicated());
    figures.put("outOfOrder", verdict.outOfOrder());
    figures.put("deadLetters", verdict.deadLetters().found());
    figures.put("deadLettersDelivered", verdict.deadLetters().delivered());
    figures.put("deadLettersLeft", verdict.deadLetters().left());
    figures.put("deadLettersUnexpected", verdict.deadLetters().unexpected());
    figures.put("circuitsOpened", outage.opened());
    figures.put("circuitsClosed", outage.closed());
    figures.put("waitedForMailServer", outage.waited());
    figures.put("rolledBack", commits.rolledBack() + commits.rolledBackToSavepoint());
    figures.put("retries", retries);
    figures.put("explainedDuplicates", verdict.explainedDuplicates());
    figures.put("phantoms", verdict.phantoms());
    figures.put("drained", drained);
    figures.put("seconds", LiveView.seconds(elapsed));
    return JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(figures)
        + "\n";
  }
}
