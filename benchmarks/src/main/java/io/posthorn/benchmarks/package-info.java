/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The command, and the processes that do the work for it. */
@NullMarked
package io.posthorn.benchmarks;

import org.jspecify.annotations.NullMarked;
