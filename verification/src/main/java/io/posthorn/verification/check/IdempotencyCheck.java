/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import static java.util.stream.Collectors.groupingBy;

import io.posthorn.verification.history.Sent;
import io.posthorn.verification.history.Truth;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Of the messages with one idempotency key exactly one is published. */
final class IdempotencyCheck {
  private final Evidence evidence;
  private final Findings findings;

  IdempotencyCheck(Evidence evidence, Findings findings) {
    this.evidence = evidence;
    this.findings = findings;
  }

  void run() {
    Map<String, List<Sent>> byKey =
        evidence.committed().values().stream()
            .map(Truth.Committed::sent)
            .filter(sent -> sent.idempotencyKey() != null)
            .collect(groupingBy(sent -> Objects.toString(sent.idempotencyKey())));
    byKey.forEach(
        (key, sent) -> {
          if (sent.size() > 1) {
            findings.add(
                Violation.Kind.IDEMPOTENCY_KEY,
                "%d messages under \"%s\"".formatted(sent.size(), key),
                sent.get(1).id());
          }
        });
    evidence.history().truth().taken().stream()
        .filter(id -> !evidence.committed().containsKey(id) && !evidence.lost().contains(id))
        .forEach(
            id ->
                findings.add(
                    Violation.Kind.IDEMPOTENCY_KEY,
                    "said to have been published, but never committed",
                    id));
  }
}
