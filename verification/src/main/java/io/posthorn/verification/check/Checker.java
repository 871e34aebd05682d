/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import io.posthorn.verification.history.History;
import io.posthorn.verification.history.Receipt;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compares what was committed with what was received, and finds every promise that was broken. */
public final class Checker {
  private final Evidence evidence;
  private final Findings findings;

  public Checker(Bounds bounds, History history, List<Fault> faults) {
    this.evidence = new Evidence(bounds, history, faults);
    this.findings = new Findings(evidence);
  }

  public Verdict judge() {
    History history = evidence.history();
    history.truth().contradictions().forEach(it -> findings.add(Violation.Kind.BROKEN_HARNESS, it));
    evidence
        .lost()
        .unexplained()
        .forEach(
            it ->
                findings.add(
                    Violation.Kind.BROKEN_HARNESS,
                    it.sent() + " is committed for its publisher, and not in the business table"));
    history.rows().intrusions().forEach(it -> findings.add(Violation.Kind.INTRUSION, it));
    history
        .rows()
        .leftovers()
        .forEach(
            (table, rows) -> findings.add(Violation.Kind.LEFTOVER, rows + " rows in " + table));
    evidence.receipts().stream()
        .filter(receipt -> receipt.kind() == Receipt.Kind.GARBLED)
        .forEach(it -> findings.add(Violation.Kind.GARBLED, "at " + it, it.id()));
    new PresenceCheck(evidence, findings).run();
    new EffectCheck(evidence, findings).run();
    new ConsumerCheck(evidence, findings).run();
    new OrderCheck(evidence, findings).run();
    new OwnershipCheck(evidence, findings).run();
    new TimingCheck(evidence, findings).run();
    new AttemptCheck(evidence, findings).run();
    new IdempotencyCheck(evidence, findings).run();
    long duplicated = new DuplicateCheck(evidence, findings).run();
    return verdict(history, duplicated, stalls());
  }

  private Verdict verdict(History history, long duplicated, Map<Fault.Kind, Long> stalls) {
    Map<Fault.Kind, Integer> injected = new EnumMap<>(Fault.Kind.class);
    evidence.faults().forEach(fault -> injected.merge(fault.kind(), 1, Integer::sum));
    return new Verdict(
        evidence.committed().size(),
        history.truth().unknown(),
        history.rows().dead().values().stream().mapToLong(Set::size).sum(),
        duplicated,
        findings.counts(),
        findings.violations(),
        stalls,
        injected);
  }

  private Map<Fault.Kind, Long> stalls() {
    Waits waits = new Waits(evidence.committed(), evidence.receipts());
    Map<Fault.Kind, Long> stalls = new EnumMap<>(Fault.Kind.class);
    for (Fault fault : evidence.faults()) {
      stalls.merge(fault.kind(), waits.longest(fault), Math::max);
    }
    evidence
        .bounds()
        .waits()
        .forEach((kind, most) -> late(kind, stalls.getOrDefault(kind, 0L), most));
    return stalls;
  }

  private void late(Fault.Kind kind, long longest, long most) {
    if (longest > most) {
      findings.add(
          Violation.Kind.TOO_LATE,
          "%d ms without progress because of a %s; %d ms at most are promised"
              .formatted(longest, kind.label(), most));
    }
  }
}
