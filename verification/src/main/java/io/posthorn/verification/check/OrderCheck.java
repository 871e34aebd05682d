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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Deliveries of a lane begin in order, one at a time. */
final class OrderCheck {
  private static final Set<Kind> RELEASE =
      EnumSet.of(Kind.UNBLOCK, Kind.RETRY, Kind.RESOLVE, Kind.DELETE, Kind.SKIP);

  private final Evidence evidence;
  private final Findings findings;
  private final Map<String, List<Sent>> byKey = new HashMap<>();
  private final Map<Lane, LaneWalk> lanes = new HashMap<>();

  private record Lane(Receiver receiver, String key) {}

  OrderCheck(Evidence evidence, Findings findings) {
    this.evidence = evidence;
    this.findings = findings;
  }

  void run() {
    for (Truth.Committed message : evidence.committed().values()) {
      String key = message.sent().key();
      if (key != null && message.sent().number() > 0) {
        byKey.computeIfAbsent(key, any -> new ArrayList<>()).add(message.sent());
      }
    }
    byKey.values().forEach(sent -> sent.sort(Comparator.comparingLong(Sent::number)));
    // The sort is stable: those of one epoch are of one life, and stay as they were written.
    evidence.receipts().stream()
        .sorted(Comparator.comparingLong(Receipt::epoch))
        .forEach(this::take);
  }

  private void take(Receipt receipt) {
    Truth.Committed message = evidence.committed().get(receipt.id());
    String key = message == null ? null : message.sent().key();
    if (key != null) {
      lanes
          .computeIfAbsent(new Lane(Receiver.named(receipt.handler()), key), this::begin)
          .take(receipt);
    }
  }

  private LaneWalk begin(Lane lane) {
    Receiver receiver = lane.receiver();
    return new LaneWalk(
        receiver,
        byKey.getOrDefault(lane.key(), List.of()).stream().filter(receiver::takes).toList(),
        message ->
            evidence.mayBeMissing(receiver, message)
                || evidence.diedUntold(receiver, message)
                || evidence.operators().did(receiver, message, EnumSet.of(Kind.SKIP)),
        message -> evidence.operators().did(receiver, message, EnumSet.of(Kind.RETRY, Kind.REPLAY)),
        (message, from, to) ->
            evidence.operators().didBetween(receiver, message, RELEASE, from, to),
        (kind, receipt) -> findings.add(kind, "at " + receipt, receipt.id()));
  }
}
