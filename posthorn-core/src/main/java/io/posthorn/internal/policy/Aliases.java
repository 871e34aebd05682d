/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.policy;

import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.StoredMessage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Older names of types. Rows keep the name they were published under; from the reader on messages
 * have the name of today. Immutable.
 */
final class Aliases {
  private final Map<String, String> todayByOld = new HashMap<>();

  /**
   * @param aliases the newer name of each older one, which may be an older name itself; without
   *     circles
   */
  Aliases(Map<String, String> aliases) {
    aliases.keySet().forEach(old -> todayByOld.put(old, end(aliases, old)));
  }

  private static String end(Map<String, String> aliases, String old) {
    String name = old;
    for (String next = aliases.get(name); next != null; next = aliases.get(name)) {
      name = next;
    }
    return name;
  }

  /** The name of today. */
  String today(String type) {
    return todayByOld.getOrDefault(type, type);
  }

  Envelope today(Envelope envelope) {
    String type = today(envelope.type());
    return type.equals(envelope.type())
        ? envelope
        : new Envelope(
            envelope.id(),
            type,
            envelope.aggregateType(),
            envelope.key(),
            envelope.tenant(),
            envelope.headers(),
            envelope.contentType(),
            envelope.payload(),
            envelope.occurredAt(),
            envelope.expiresAt());
  }

  StoredMessage today(StoredMessage row) {
    return todayByOld.containsKey(row.envelope().type())
        ? new StoredMessage(
            row.partition(),
            row.seq(),
            today(row.envelope()),
            row.createdAt(),
            row.expiresIn(),
            row.place())
        : row;
  }

  DeferredMessage today(DeferredMessage row) {
    return todayByOld.containsKey(row.message().envelope().type())
        ? new DeferredMessage(
            today(row.message()),
            row.handler(),
            row.inLane(),
            row.reason(),
            row.attempts(),
            row.lastError(),
            row.dueIn(),
            row.waited())
        : row;
  }

  /** These types and all their older names. */
  Set<String> withOlder(Set<String> types) {
    Set<String> all = new HashSet<>(types);
    todayByOld.forEach(
        (old, today) -> {
          if (types.contains(today)) {
            all.add(old);
          }
        });
    return Set.copyOf(all);
  }
}
