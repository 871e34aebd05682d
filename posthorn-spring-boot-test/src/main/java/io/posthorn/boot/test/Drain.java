/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test;

import static java.util.stream.Collectors.joining;

import io.posthorn.Admin.Survey;
import io.posthorn.Posthorn;
import io.posthorn.RelayStatus;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What came of a drain.
 *
 * @param died messages that became dead letters, in words
 * @param left why messages were not delivered, in words; empty if none is left
 */
record Drain(List<FailedDelivery> failures, List<String> died, List<String> left) {
  private static final int MANY = 1_000;

  Drain {
    failures = List.copyOf(failures);
    died = List.copyOf(died);
    left = List.copyOf(left);
  }

  static Drain of(Posthorn posthorn, Notes notes, Duration limit) {
    int failedBefore = notes.failed().size();
    int diedBefore = notes.died().size();
    Ticker ticker = Ticker.system();
    long began = ticker.nanos();
    Duration rest = limit;
    boolean idle;
    int seen;
    do { // a handler may have published after the last look
      seen = notes.size();
      idle = posthorn.relay().awaitIdle(rest);
      rest = limit.minusNanos(ticker.nanos() - began);
    } while (notes.size() > seen && !rest.isNegative());
    List<FailedDelivery> failures = notes.failed();
    List<String> died = notes.died();
    return new Drain(
        failures.subList(failedBefore, failures.size()),
        died.subList(diedBefore, died.size()),
        left(posthorn, idle, rest.isNegative() ? limit : Duration.ZERO));
  }

  /**
   * @param exceeded zero if it ended by itself
   */
  private static List<String> left(Posthorn posthorn, boolean idle, Duration exceeded) {
    Survey survey = posthorn.admin().survey(MANY);
    if (idle && survey.ready().isEmpty()) {
      return List.of();
    }
    List<String> reasons = new ArrayList<>();
    reasons.add(
        survey.ready().stream()
            .map(ready -> ready.messages() + " of type \"" + ready.type() + "\"")
            .collect(joining(", ", "messages are left: ", "")));
    if (!exceeded.isZero()) {
      reasons.add(
          "there was still something to do after %d s; does a handler publish what it handles?"
              .formatted(exceeded.toSeconds()));
    }
    RelayStatus status = posthorn.relay().status();
    status
        .handlers()
        .forEach(
            (handler, state) -> {
              if (state.circuitOpen()) {
                reasons.add(
                    "the destination of handler \"%s\" is down; it is tried again after advance(…)"
                        .formatted(handler));
              }
              if (state.paused()) {
                reasons.add("handler \"%s\" is paused".formatted(handler));
              }
            });
    if (survey.instances() > 1) {
      reasons.add(
          "%d instances share these tables, and this one has %d partitions; give each application context tables of its own, or close the others with @DirtiesContext"
              .formatted(survey.instances(), status.epochs().size()));
    }
    return reasons;
  }

  /**
   * @throws AssertionError if not all is well
   */
  void check() {
    if (failures.isEmpty() && died.isEmpty() && left.isEmpty()) {
      return;
    }
    List<String> said = new ArrayList<>();
    failures.forEach(
        failure -> said.add("%s failed: %s".formatted(failure.delivery(), failure.cause())));
    said.addAll(died);
    said.addAll(left);
    AssertionError error =
        new AssertionError(
            String.format(
                Locale.ROOT, "not all messages were delivered:%n- %s", String.join("\n- ", said)),
            failures.isEmpty() ? null : failures.get(0).cause());
    failures.stream().skip(1).map(FailedDelivery::cause).forEach(error::addSuppressed);
    throw error;
  }
}
