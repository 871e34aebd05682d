/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import java.util.List;

/**
 * Who owns what, and who is alive. The partitions were read first and the instances in a later
 * snapshot: an owner that is not among the instances is gone for good.
 *
 * @since 0.1
 */
public record FleetSurvey(List<PartitionOwner> partitions, List<LiveInstance> instances) {
  public FleetSurvey {
    partitions = List.copyOf(partitions);
    instances = List.copyOf(instances);
  }
}
