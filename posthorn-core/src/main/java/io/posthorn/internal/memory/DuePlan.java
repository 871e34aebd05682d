/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.spi.RelayStore.DueRequest;
import java.util.Map;

/**
 * A read of deferred rows that is about to begin. It remembers the partitions it is made for: what
 * it brings counts only for them.
 *
 * @param partitions by number
 * @param event the memory's count of events when it begins
 */
public record DuePlan(DueRequest request, Map<Integer, HeldPartition> partitions, long event) {}
