/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import io.posthorn.verification.history.Effect;
import io.posthorn.verification.history.Sent;
import io.posthorn.verification.history.Truth;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Each consumer behind a broker has exactly one effect of each message that was committed, and none
 * of another one; those of a key are in its order.
 */
final class ConsumerCheck {
  private final Evidence evidence;
  private final Findings findings;

  ConsumerCheck(Evidence evidence, Findings findings) {
    this.evidence = evidence;
    this.findings = findings;
  }

  void run() {
    for (String consumer : evidence.bounds().consumers()) {
      List<Effect> effects =
          evidence.history().rows().consumed().stream()
              .filter(effect -> effect.handler().equals(consumer))
              .toList();
      count(consumer, effects);
      order(consumer, effects);
    }
  }

  private void count(String consumer, List<Effect> effects) {
    Map<UUID, Integer> counts = new HashMap<>();
    effects.forEach(effect -> counts.merge(effect.id(), 1, Integer::sum));
    counts.forEach(
        (id, count) -> {
          if (!evidence.committed().containsKey(id)) {
            findings.add(Violation.Kind.FALSE_EFFECT, "never committed, at " + consumer, id);
          } else if (count > 1) {
            findings.add(Violation.Kind.REPEATED_EFFECT, count + " of " + consumer, id);
          }
        });
    evidence.committed().values().stream()
        .map(Truth.Committed::sent)
        .filter(sent -> !counts.containsKey(sent.id()) && !evidence.mayHaveExpired(sent))
        .forEach(sent -> findings.add(Violation.Kind.LOST_EFFECT, "of " + consumer, sent.id()));
  }

  private void order(String consumer, List<Effect> effects) {
    Map<String, Long> highest = new HashMap<>();
    for (Effect effect : effects) {
      Truth.Committed message = evidence.committed().get(effect.id());
      Sent sent = message == null ? null : message.sent();
      String key = sent == null || sent.number() == 0 ? null : sent.key();
      if (sent != null
          && key != null
          && highest.merge(key, sent.number(), Math::max) > sent.number()) {
        findings.add(Violation.Kind.DISORDER, "of effects of " + consumer, effect.id());
      }
    }
  }
}
