/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import io.posthorn.verification.history.Intervention.Kind;
import io.posthorn.verification.history.Nature;
import io.posthorn.verification.history.Receipt;
import io.posthorn.verification.history.Receiver;
import io.posthorn.verification.history.Sent;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What was committed was delivered or is a dead letter that it should be; nothing else was
 * delivered.
 */
final class PresenceCheck {
  private final Evidence evidence;
  private final Findings findings;

  PresenceCheck(Evidence evidence, Findings findings) {
    this.evidence = evidence;
    this.findings = findings;
  }

  void run() {
    Stream.concat(
            evidence.receipts().stream()
                .filter(receipt -> !evidence.lost().explains(receipt))
                .map(Receipt::id),
            evidence.history().rows().dead().values().stream().flatMap(Set::stream))
        .filter(id -> !evidence.committed().containsKey(id))
        .distinct()
        .forEach(id -> findings.add(Violation.Kind.PHANTOM, "never committed", id));
    evidence.committed().values().forEach(message -> lostOrDead(message.sent()));
  }

  private void lostOrDead(Sent sent) {
    for (Receiver receiver : evidence.receiversOf(sent)) {
      boolean mustDie = sent.nature().diesAt(receiver);
      boolean mayDie = mustDie || did(receiver, sent, Kind.SKIP);
      boolean mayLive = !mustDie || did(receiver, sent, Kind.EDIT);
      if (evidence.dead(receiver, sent)) {
        findIf(!mayDie, Violation.Kind.WRONG_DEAD_LETTER, receiver, sent);
      } else if (!mayLive || !evidence.succeeded(receiver, sent)) {
        findIf(!evidence.mayBeMissing(receiver, sent), Violation.Kind.LOST, receiver, sent);
      }
      boolean fellBack = evidence.has(receiver, sent, Receipt.Kind.FELL_BACK);
      findIf(
          fellBack && sent.nature() != Nature.POISON,
          Violation.Kind.WRONG_FALLBACK,
          receiver,
          sent);
    }
  }

  private boolean did(Receiver receiver, Sent sent, Kind kind) {
    return evidence.operators().did(receiver, sent, EnumSet.of(kind));
  }

  private void findIf(boolean found, Violation.Kind kind, Receiver receiver, Sent sent) {
    if (found) {
      findings.add(kind, "for \"" + receiver.label() + "\"", sent.id());
    }
  }
}
