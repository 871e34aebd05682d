/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.spi.RelayStore.ReadSlice;
import java.util.List;
import java.util.Map;

/**
 * A read that is about to begin. It remembers the holdings it is made for: what it brings counts
 * only for them.
 *
 * @param known seqs that need not be returned
 * @param whole whether it reads all there is, from the beginning
 * @param wantsMark whether it should tell who may still bring rows with low seqs
 * @param begun when it begins
 */
@SuppressWarnings("ArrayRecordComponent") // made for one read, never compared
public record ReadPlan(
    List<ReadSlice> slices,
    long[] known,
    Map<Integer, Holding> holdings,
    boolean whole,
    boolean wantsMark,
    long begun) {}
