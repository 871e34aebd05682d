/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import org.jspecify.annotations.Nullable;

/**
 * A row of the partition table.
 *
 * @param owner null if nobody owns it
 * @param epoch grows by one at each change of owner
 * @param crashes how many owners in a row were expelled before the partition came to rest
 * @param floor as an owner last stored it: reads may begin after this seq; 0: at the beginning
 * @since 0.1
 */
public record PartitionOwner(
    int partition, @Nullable RelayIdentity owner, long epoch, int crashes, long floor) {
  /** One whose owners did not crash, and stored no floor. */
  public PartitionOwner(int partition, @Nullable RelayIdentity owner, long epoch) {
    this(partition, owner, epoch, 0, 0);
  }
}
