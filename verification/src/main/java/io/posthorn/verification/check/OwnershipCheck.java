/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import static java.util.Objects.requireNonNull;

import io.posthorn.verification.history.Receipt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** No deliveries begin when the partition has another owner already. */
final class OwnershipCheck {
  /** Clocks of two processes are read at different moments. */
  private static final long CLOCK_SLACK = 20;

  private final Evidence evidence;
  private final Findings findings;

  private record Workers(String life, String handler) {}

  OwnershipCheck(Evidence evidence, Findings findings) {
    this.evidence = evidence;
    this.findings = findings;
  }

  void run() {
    Map<Integer, TreeMap<Long, Long>> firstStarts = new HashMap<>();
    List<Receipt> starts =
        evidence.receipts().stream()
            .filter(receipt -> receipt.kind() == Receipt.Kind.STARTED)
            .filter(receipt -> !evidence.lost().unsettled(receipt.millis()))
            .toList();
    for (Receipt start : starts) {
      firstStarts
          .computeIfAbsent(start.partition(), any -> new TreeMap<>())
          .merge(start.epoch(), start.millis(), Math::min);
    }
    Map<Workers, List<Receipt>> stale = new HashMap<>();
    for (Receipt start : starts) {
      boolean late =
          requireNonNull(firstStarts.get(start.partition()))
              .tailMap(start.epoch(), false)
              .values()
              .stream()
              .anyMatch(begun -> begun + CLOCK_SLACK < start.millis());
      if (late) {
        stale
            .computeIfAbsent(new Workers(start.life(), start.handler()), any -> new ArrayList<>())
            .add(start);
      }
    }
    stale.forEach(this::judge);
  }

  /** Workers that had passed the check before the freeze go on when it ends: one delivery each. */
  private void judge(Workers workers, List<Receipt> starts) {
    long excuses =
        evidence.faults().stream()
            .filter(fault -> fault.kind() == Fault.Kind.FREEZE)
            .filter(fault -> workers.life().equals(fault.life()))
            .count();
    if (starts.size() > excuses * evidence.bounds().workers()) {
      Receipt first = starts.get(0);
      findings.add(
          Violation.Kind.STALE_EPOCH,
          "%d deliveries of %s began after others had taken over, the first at %s"
              .formatted(starts.size(), workers.life(), first),
          first.id());
    }
  }
}
