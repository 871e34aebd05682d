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
 * @since 0.1
 */
public record PartitionOwner(
    int partition, @Nullable RelayIdentity owner, long epoch, int crashes) {
  /** One whose owners did not crash. */
  public PartitionOwner(int partition, @Nullable RelayIdentity owner, long epoch) {
    this(partition, owner, epoch, 0);
  }

  /** STUB-FLOORS */
  public long floor() {
    return 0;
  }
}
