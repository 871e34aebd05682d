/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import io.posthorn.verification.history.Receipt;
import io.posthorn.verification.history.Receiver;
import io.posthorn.verification.history.Truth;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How long messages had to wait without anything happening in their lane: whatever stands behind a
 * message that is retried waits for a reason.
 */
final class Waits {
  /** Messages that are published so soon after a fault may still have to wait because of it. */
  private static final long AFTERMATH = 4_000;

  /** A delayed message is promoted by an idle relay within this time after it is due. */
  private static final long PROMOTION = 1_050;

  private final List<Wait> all = new ArrayList<>();

  private record Lane(String handler, String key) {}

  private record Pair(String handler, UUID id) {}

  /**
   * From the commit of a message to its first delivery to a handler.
   *
   * @param signs of life in its lane, in milliseconds
   */
  private record Wait(long asked, long started, NavigableSet<Long> signs) {
    long longestGap(long from) {
      long longest = 0;
      long last = Math.max(asked, from);
      for (long sign : signs.subSet(last, true, Math.max(last, started), true)) {
        longest = Math.max(longest, sign - last);
        last = sign;
      }
      return Math.max(longest, started - last);
    }
  }

  Waits(Map<UUID, Truth.Committed> committed, List<Receipt> receipts) {
    Map<Pair, Long> firstStarts = new HashMap<>();
    Map<Lane, NavigableSet<Long>> lanes = new HashMap<>();
    for (Receipt receipt : receipts) {
      Truth.Committed message = committed.get(receipt.id());
      if (message != null && !Receiver.named(receipt.handler()).hasDestination()) {
        firstStarts.merge(new Pair(receipt.handler(), receipt.id()), receipt.millis(), Math::min);
        signs(lanes, receipt.handler(), message.sent().key()).add(receipt.millis());
      }
    }
    firstStarts.forEach(
        (pair, started) -> {
          Truth.Committed message = committed.get(pair.id());
          if (message != null) {
            all.add(
                new Wait(
                    expectedAt(message),
                    started,
                    signs(lanes, pair.handler(), message.sent().key())));
          }
        });
  }

  private static long expectedAt(Truth.Committed message) {
    return Math.max(message.askedAt(), message.sent().timing().notBefore() + PROMOTION);
  }

  private static NavigableSet<Long> signs(
      Map<Lane, NavigableSet<Long>> lanes, String handler, @Nullable String key) {
    return key == null
        ? new TreeSet<>()
        : lanes.computeIfAbsent(new Lane(handler, key), any -> new TreeSet<>());
  }

  /** The longest gap, in milliseconds, of messages that waited while or after this was done. */
  long longest(Fault fault) {
    long longest = 0;
    for (Wait wait : all) {
      boolean concerned = wait.asked <= fault.to() + AFTERMATH && wait.started >= fault.from();
      // The gap is looked for only where it can be longer: there are very many waits.
      if (concerned && wait.started - Math.max(wait.asked, fault.recoveryFrom()) > longest) {
        longest = Math.max(longest, wait.longestGap(fault.recoveryFrom()));
      }
    }
    return longest;
  }
}
