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
import java.util.TreeMap;

/**
 * Older names of types. Rows keep the name they were published under; from the reader on messages
 * have the name of today. Immutable.
 */
public final class Aliases {
  /** No type was ever renamed. */
  public static final Aliases NONE = new Aliases(Map.of());

  private final Map<String, String> todayByOld = new HashMap<>();

  /**
   * @param aliases the newer name of each older one, which may be an older name itself; without
   *     circles
   */
  public Aliases(Map<String, String> aliases) {
    aliases.keySet().forEach(old -> todayByOld.put(old, end(aliases, old)));
  }

  private static String end(Map<String, String> aliases, String old) {
    String name = old;
    for (String next = aliases.get(name); next != null; next = aliases.get(name)) {
      name = next;
    }
    return name;
  }

  /** Older names that lead back to themselves, in order. */
  public static Set<String> circles(Map<String, String> aliases) {
    Set<String> circular = new HashSet<>();
    for (String old : new TreeMap<>(aliases).keySet()) {
      Set<String> seen = new HashSet<>();
      String name = old;
      while (name != null && seen.add(name)) {
        name = aliases.get(name);
      }
      if (old.equals(name)) {
        circular.add(old);
      }
    }
    return circular;
  }

  /** The name of today. */
  public String today(String type) {
    return todayByOld.getOrDefault(type, type);
  }

  public Envelope today(Envelope envelope) {
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

  public StoredMessage today(StoredMessage row) {
    return todayByOld.containsKey(row.envelope().type())
        ? new StoredMessage(
            row.partition(), row.seq(), today(row.envelope()), row.createdAt(), row.expiresIn())
        : row;
  }

  public DeferredMessage today(DeferredMessage row) {
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
