/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import io.posthorn.verification.check.Evidence.Pair;
import io.posthorn.verification.history.Intervention.Kind;
import io.posthorn.verification.history.Receipt;
import io.posthorn.verification.history.Receiver;
import io.posthorn.verification.history.Truth;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Nothing is done twice without a fault. Transactional handlers are not meant: what they tell is
 * not what was committed.
 */
final class DuplicateCheck {
  /** An outcome is stored within this time after its delivery, or something is in its way. */
  private static final long SETTLE_SLACK = 5_000;

  private final Evidence evidence;
  private final Findings findings;
  private final Map<Fault, Set<UUID>> byFault = new HashMap<>();

  DuplicateCheck(Evidence evidence, Findings findings) {
    this.evidence = evidence;
    this.findings = findings;
  }

  /**
   * @return how many deliveries were repeated, explained or not
   */
  long run() {
    long duplicated = 0;
    for (Map.Entry<Pair, List<Receipt>> entry : evidence.receiptsByPair().entrySet()) {
      if (!Receiver.named(entry.getKey().handler()).isTransactional()) {
        duplicated += repetitions(entry.getKey(), entry.getValue());
      }
    }
    byFault.forEach(
        (fault, messages) -> {
          if (fault.kind() == Fault.Kind.KILL && messages.size() > evidence.bounds().window()) {
            findings.add(
                Violation.Kind.TOO_MANY_DUPLICATES,
                messages.size() + " messages because of " + fault);
          }
        });
    return duplicated;
  }

  private long repetitions(Pair pair, List<Receipt> receipts) {
    if (broughtBack(pair)) {
      return 0;
    }
    List<Receipt> done = receipts.stream().filter(receipt -> receipt.kind().isSuccess()).toList();
    for (int i = 1; i < done.size(); i++) {
      Fault reason = reason(done.get(i - 1), done.get(i));
      if (reason == null) {
        findings.add(
            Violation.Kind.UNEXPLAINED_DUPLICATE,
            "done again for \"" + pair.handler() + "\"",
            pair.id());
      } else {
        byFault.computeIfAbsent(reason, any -> new HashSet<>()).add(pair.id());
      }
    }
    return Math.max(0, done.size() - 1);
  }

  /** An operator may want it again; what was skipped while it was under way may have been done. */
  private boolean broughtBack(Pair pair) {
    Truth.Committed message = evidence.committed().get(pair.id());
    return message != null
        && evidence
            .operators()
            .did(
                Receiver.named(pair.handler()),
                message.sent(),
                EnumSet.of(Kind.RETRY, Kind.REPLAY));
  }

  private @Nullable Fault reason(Receipt first, Receipt second) {
    return evidence.faults().stream()
        .filter(
            fault -> fault.explains(first.life(), first.millis(), second.millis(), SETTLE_SLACK))
        .findFirst()
        .orElse(null);
  }
}
