/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Remembers everything, until it is told to fail. One thread only. */
final class MapCache implements InboxCache {
  private final Map<String, Set<String>> inboxes = new HashMap<>();
  boolean broken;

  private Set<String> entries(String inbox) {
    if (broken) {
      throw new IllegalStateException("the cache is out of reach");
    }
    return inboxes.computeIfAbsent(inbox, any -> new TreeSet<>());
  }

  @Override
  public Set<String> known(String inbox, String consumer, Collection<String> messageIds) {
    Set<String> known = new HashSet<>(messageIds);
    known.removeIf(id -> !entries(inbox).contains(consumer + "/" + id));
    return known;
  }

  @Override
  public void remember(String inbox, String consumer, Collection<String> messageIds) {
    messageIds.forEach(id -> entries(inbox).add(consumer + "/" + id));
  }

  /** Of all inboxes. */
  Set<String> entries() {
    Set<String> all = new TreeSet<>();
    inboxes.values().forEach(all::addAll);
    return all;
  }

  void clear() {
    inboxes.clear();
  }
}
