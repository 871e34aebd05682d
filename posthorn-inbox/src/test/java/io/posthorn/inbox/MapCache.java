/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/** Remembers everything, until it is told to fail. One thread only. */
final class MapCache implements InboxCache {
  final Set<String> entries = new TreeSet<>();
  boolean broken;

  @Override
  public Set<String> known(String consumer, Collection<String> messageIds) {
    check();
    Set<String> known = new HashSet<>(messageIds);
    known.removeIf(id -> !entries.contains(consumer + "/" + id));
    return known;
  }

  @Override
  public void remember(String consumer, Collection<String> messageIds) {
    check();
    messageIds.forEach(id -> entries.add(consumer + "/" + id));
  }

  private void check() {
    if (broken) {
      throw new IllegalStateException("the cache is out of reach");
    }
  }
}
