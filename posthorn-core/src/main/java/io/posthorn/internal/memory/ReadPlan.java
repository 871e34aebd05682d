/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.spi.RelayStore.ReadRequest;
import java.util.List;

/**
 * A read of ready rows that is about to begin. It remembers the partitions it is made for: what it
 * brings counts only for them.
 *
 * @param partitions those of the request's slices, in the same order
 * @param begun when it begins
 */
public record ReadPlan(ReadRequest request, List<HeldPartition> partitions, long begun) {}
