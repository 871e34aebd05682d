/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test;

import io.posthorn.Admin;
import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Admin.EntryId;
import io.posthorn.spi.DeferReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Lets time pass for messages that wait for it. The database's clock says what is due, and cannot
 * be moved; so it is added up how much each of them was let off, and those for which that is enough
 * are made due by hand.
 */
final class PassingTime {
  private Map<Wait, Duration> letOff = new HashMap<>();

  /** One that is put off again waits anew. */
  private record Wait(EntryId id, Instant dueAt) {}

  void advance(Admin admin, Duration by) {
    Instant now = admin.survey(1).at();
    Map<Wait, Duration> left = new HashMap<>();
    List<EntryId> due = new ArrayList<>();
    for (DeferredEntry entry : Lists.deferred(admin)) {
      Instant dueAt = entry.dueAt();
      if (dueAt == null || entry.reason() == DeferReason.BLOCKED) {
        continue;
      }
      Wait wait = new Wait(entry.id(), dueAt);
      Duration sum = letOff.getOrDefault(wait, Duration.ZERO).plus(by);
      if (dueAt.isAfter(now.plus(sum))) {
        left.put(wait, sum);
      } else {
        due.add(entry.id());
      }
    }
    letOff = left;
    admin.deferred().runNow(due);
  }
}
