/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import io.posthorn.verification.history.Intervention.Kind;
import io.posthorn.verification.history.Receipt;
import io.posthorn.verification.history.Receiver;
import io.posthorn.verification.history.Sent;
import io.posthorn.verification.history.Truth;
import java.util.EnumSet;

/** Nothing is delivered before its time, or long after it has expired. */
final class TimingCheck {
  /** The database's clock and that of the handlers are read at different moments. */
  private static final long CLOCK_SLACK = 20;

  /**
   * A transactional handler may wait three seconds for a connection after the look at the time, and
   * a busy machine stops workers.
   */
  private static final long EXPIRY_TOLERANCE = 4_000;

  private final Evidence evidence;
  private final Findings findings;

  TimingCheck(Evidence evidence, Findings findings) {
    this.evidence = evidence;
    this.findings = findings;
  }

  void run() {
    for (Receipt receipt : evidence.receipts()) {
      Truth.Committed message = evidence.committed().get(receipt.id());
      if (message != null && receipt.kind() == Receipt.Kind.STARTED) {
        judge(receipt, message.sent());
      }
    }
  }

  private void judge(Receipt start, Sent sent) {
    boolean early = start.millis() + CLOCK_SLACK < sent.timing().notBefore();
    if (early && !hurried(start, sent)) {
      findings.add(Violation.Kind.TOO_EARLY, "at " + start, sent.id());
    }
    boolean late =
        sent.timing().expires() && start.millis() - EXPIRY_TOLERANCE > sent.timing().expiresAt();
    if (late && !frozen(start, sent.timing().expiresAt())) {
      findings.add(Violation.Kind.EXPIRED, "at " + start, sent.id());
    }
  }

  private boolean hurried(Receipt start, Sent sent) {
    Receiver receiver = Receiver.named(start.handler());
    return evidence.operators().did(receiver, sent, EnumSet.of(Kind.RUN_NOW));
  }

  private boolean frozen(Receipt start, long expiresAt) {
    return evidence.faults().stream()
        .anyMatch(
            fault ->
                fault.kind() == Fault.Kind.FREEZE
                    && start.life().equals(fault.life())
                    && fault.from() <= expiresAt + EXPIRY_TOLERANCE
                    && fault.to() + EXPIRY_TOLERANCE >= start.millis());
  }
}
