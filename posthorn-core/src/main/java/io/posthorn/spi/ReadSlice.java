/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

/**
 * Which rows of a partition to read: the first of those with a greater seq.
 *
 * @since 0.1
 */
public record ReadSlice(int partition, long afterSeq, int limit) {}
