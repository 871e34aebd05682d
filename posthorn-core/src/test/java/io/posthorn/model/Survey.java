/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.Database.PartitionRow;
import java.util.List;

/** How far a relay's look at the ownership of partitions has come. */
sealed interface Survey {

  None NONE = new None();

  record None() implements Survey {}

  record SawPartitions(List<PartitionRow> partitions) implements Survey {}

  /** The wrong way round. */
  record SawInstances(List<Boolean> live, List<Integer> incarnations) implements Survey {}

  /** For each partition the epoch in which it was seen to be free, or {@link #TAKEN}. */
  record Free(List<Integer> epochs) implements Survey {

    static final int TAKEN = -1;

    /** What is left to take after one attempt. */
    Survey without(int partition) {
      List<Integer> rest = Database.replaced(epochs, partition, TAKEN);
      return rest.stream().allMatch(epoch -> epoch == TAKEN) ? NONE : new Free(rest);
    }
  }
}
