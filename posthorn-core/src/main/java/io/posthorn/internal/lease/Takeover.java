/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.lease;

import io.posthorn.internal.policy.Fleet;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.LiveInstance;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which partitions a relay takes, by what a survey shows.
 *
 * @param own they are its own since an earlier take whose answer was lost
 * @param free they are to be taken
 * @param goneOwners who had them and is gone, by partition
 */
record Takeover(
    List<PartitionOwner> own, List<PartitionOwner> free, Map<Integer, RelayIdentity> goneOwners) {
  /**
   * @param held the partitions it holds already
   * @param wanted how many more are its fair share
   */
  static Takeover choose(
      FleetSurvey survey, Fleet fleet, RelayIdentity me, Set<Integer> held, int wanted) {
    Set<RelayIdentity> alive =
        survey.instances().stream().map(LiveInstance::identity).collect(Collectors.toSet());
    List<PartitionOwner> own = new ArrayList<>();
    List<PartitionOwner> free = new ArrayList<>();
    Map<Integer, RelayIdentity> goneOwners = new HashMap<>();
    for (PartitionOwner partition : survey.partitions()) {
      if (me.equals(partition.owner()) && !held.contains(partition.partition())) {
        own.add(partition);
      } else if (partition.owner() == null || !alive.contains(partition.owner())) {
        free.add(partition);
        if (partition.owner() != null) {
          goneOwners.put(partition.partition(), partition.owner());
        }
      }
    }
    int more = Math.max(0, Math.min(wanted - own.size(), free.size()));
    // Each begins behind what those before it want, so that they seldom want the same partition.
    Collections.rotate(free, -fleet.wantedBefore(me, survey.partitions()));
    List<PartitionOwner> chosen = new ArrayList<>(free.subList(0, more));
    // In one order for all, so that two that want the same ones wait for each other at the first.
    chosen.sort(Comparator.comparingInt(PartitionOwner::partition));
    return new Takeover(own, chosen, goneOwners);
  }
}
