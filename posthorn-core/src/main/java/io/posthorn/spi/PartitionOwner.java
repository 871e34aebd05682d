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
 * @since 0.1
 */
public record PartitionOwner(int partition, @Nullable RelayIdentity owner, long epoch) {}
