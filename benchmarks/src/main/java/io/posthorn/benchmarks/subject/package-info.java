/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The systems that are measured, each behind the same few methods. */
@NullMarked
package io.posthorn.benchmarks.subject;

import org.jspecify.annotations.NullMarked;
