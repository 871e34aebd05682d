/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.lease;

import io.posthorn.spi.LiveInstance;
import io.posthorn.spi.RelayIdentity;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the live instances of the last survey know: during a rolling deployment some have handlers
 * that this one has not. Immutable.
 */
public final class Fleet {
  private final List<LiveInstance> live;
  private final Set<String> own;

  public Fleet(Collection<LiveInstance> instances, Set<String> ownHandlers) {
    this.live = instances.stream().filter(instance -> !instance.stale()).toList();
    this.own = Set.copyOf(ownHandlers);
  }

  /** Names of handlers that take this type and that only other instances have. */
  public Set<String> handlersElsewhere(String type) {
    Set<String> names = new TreeSet<>();
    for (LiveInstance instance : live) {
      for (Map.Entry<String, Set<String>> handler : instance.handlers().entrySet()) {
        if (handler.getValue().contains(type) && !own.contains(handler.getKey())) {
          names.add(handler.getKey());
        }
      }
    }
    return names;
  }

  /** Names of all handlers of live instances. */
  public Set<String> handlers() {
    Set<String> names = new TreeSet<>();
    live.forEach(instance -> names.addAll(instance.handlers().keySet()));
    return names;
  }

  /**
   * How many of the partitions are the fair share of this relay. All relays come to the same split.
   */
  int share(RelayIdentity me, int partitions) {
    List<RelayIdentity> sorted = live.stream().map(LiveInstance::identity).sorted().toList();
    int rank = sorted.indexOf(me);
    if (rank < 0) {
      return 0;
    }
    return partitions / sorted.size() + (rank < partitions % sorted.size() ? 1 : 0);
  }

  boolean isLive(RelayIdentity identity) {
    return live.stream().anyMatch(instance -> instance.identity().equals(identity));
  }
}
