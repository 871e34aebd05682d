/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Compares what was committed with what was received. */
@NullMarked
package io.posthorn.verification.check;

import org.jspecify.annotations.NullMarked;
