/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The work that all subjects are given, and the check of what became of it. */
@NullMarked
package io.posthorn.benchmarks.workload;

import org.jspecify.annotations.NullMarked;
