/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Table, JSON and charts. */
@NullMarked
package io.posthorn.benchmarks.report;

import org.jspecify.annotations.NullMarked;
