/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import io.posthorn.verification.check.Evidence.Pair;
import io.posthorn.verification.history.Nature;
import io.posthorn.verification.history.Receipt;
import io.posthorn.verification.history.Receiver;
import io.posthorn.verification.history.Truth;
import java.util.List;

/**
 * Only a handler's own failures count as attempts: neither a destination that is down, nor a
 * process that dies. Of a transactional handler, the commit may have failed as well, so it is not
 * meant.
 */
final class AttemptCheck {
  private final Evidence evidence;
  private final Findings findings;

  AttemptCheck(Evidence evidence, Findings findings) {
    this.evidence = evidence;
    this.findings = findings;
  }

  void run() {
    evidence
        .receiptsByPair()
        .forEach(
            (pair, receipts) -> {
              Truth.Committed message = evidence.committed().get(pair.id());
              boolean meant =
                  !Receiver.named(pair.handler()).isTransactional()
                      && message != null
                      && message.sent().nature() != Nature.KILLER;
              if (meant) {
                judge(pair, receipts);
              }
            });
  }

  private void judge(Pair pair, List<Receipt> receipts) {
    int failures = 0;
    for (Receipt receipt : receipts) {
      if (receipt.kind() == Receipt.Kind.FAILED) {
        failures++;
      } else if (receipt.kind() == Receipt.Kind.STARTED && receipt.attempt() > failures + 1) {
        findings.add(
            Violation.Kind.FALSE_ATTEMPT,
            "%d failures before %s".formatted(failures, receipt),
            pair.id());
        return;
      }
    }
  }
}
