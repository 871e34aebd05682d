/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Figures of a long run, and whether they drift. */
@NullMarked
package io.posthorn.verification.soak;

import org.jspecify.annotations.NullMarked;
