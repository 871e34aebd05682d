/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import io.posthorn.verification.check.Evidence.Pair;
import io.posthorn.verification.history.Effect;
import io.posthorn.verification.history.Intervention.Kind;
import io.posthorn.verification.history.Receiver;
import io.posthorn.verification.history.Sent;
import io.posthorn.verification.history.Truth;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Transactional handlers have exactly one effect for each message that they took, none for one that
 * was rolled back or is dead, and the effects of a key are in its order.
 */
final class EffectCheck {
  private final Evidence evidence;
  private final Findings findings;
  private final List<Effect> effects;

  private record Lane(String handler, String key) {}

  EffectCheck(Evidence evidence, Findings findings) {
    this.evidence = evidence;
    this.findings = findings;
    this.effects = evidence.history().rows().effects();
  }

  void run() {
    Map<Pair, Long> counts =
        effects.stream()
            .collect(groupingBy(effect -> new Pair(effect.handler(), effect.id()), counting()));
    counts.keySet().stream()
        .filter(pair -> !evidence.committed().containsKey(pair.id()))
        .forEach(pair -> findings.add(Violation.Kind.FALSE_EFFECT, "never committed", pair.id()));
    for (Truth.Committed message : evidence.committed().values()) {
      evidence.receiversOf(message.sent()).stream()
          .filter(Receiver::isTransactional)
          .forEach(
              receiver ->
                  judge(
                      receiver,
                      message.sent(),
                      counts.getOrDefault(new Pair(receiver.label(), message.sent().id()), 0L)));
    }
    order();
  }

  private void judge(Receiver receiver, Sent sent, long count) {
    boolean mustDie =
        sent.nature().diesAt(receiver)
            && !evidence.operators().did(receiver, sent, EnumSet.of(Kind.EDIT));
    boolean hasNone = mustDie || evidence.dead(receiver, sent);
    long replays = evidence.operators().count(receiver, sent, EnumSet.of(Kind.REPLAY));
    if (count > replays && hasNone) {
      find(Violation.Kind.FALSE_EFFECT, receiver, sent);
    } else if (count > 1 + replays) {
      find(Violation.Kind.REPEATED_EFFECT, receiver, sent);
    } else if (count == 0 && mustHaveOne(receiver, sent, hasNone)) {
      find(Violation.Kind.LOST_EFFECT, receiver, sent);
    }
  }

  /** What the handler never took is lost altogether, and found elsewhere. */
  private boolean mustHaveOne(Receiver receiver, Sent sent, boolean hasNone) {
    return !hasNone && !evidence.mayBeMissing(receiver, sent) && evidence.succeeded(receiver, sent);
  }

  private void find(Violation.Kind kind, Receiver receiver, Sent sent) {
    findings.add(kind, "of \"" + receiver.label() + "\"", sent.id());
  }

  private void order() {
    Map<Lane, Long> highest = new HashMap<>();
    Set<Pair> seen = new HashSet<>();
    for (Effect effect : effects) {
      Truth.Committed message = evidence.committed().get(effect.id());
      boolean first = seen.add(new Pair(effect.handler(), effect.id()));
      String key = message == null || message.sent().number() == 0 ? null : message.sent().key();
      if (message == null || key == null || !first || moved(effect, message.sent())) {
        continue;
      }
      Lane lane = new Lane(effect.handler(), key);
      long number = message.sent().number();
      if (highest.getOrDefault(lane, 0L) > number) {
        findings.add(Violation.Kind.DISORDER, "of effects, at " + effect, effect.id());
      }
      highest.merge(lane, number, Math::max);
    }
  }

  /**
   * A retried or replayed message goes after what has passed; so does one whose effect the database
   * has lost, if the relay knew it as done.
   */
  private boolean moved(Effect effect, Sent sent) {
    return evidence
            .operators()
            .did(Receiver.named(effect.handler()), sent, EnumSet.of(Kind.RETRY, Kind.REPLAY))
        || evidence
            .receiptsByPair()
            .getOrDefault(new Pair(effect.handler(), effect.id()), List.of())
            .stream()
            .anyMatch(receipt -> receipt.kind().isSuccess() && evidence.lost().took(receipt));
  }
}
