/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Runs that try to break the promises. */
@NullMarked
package io.posthorn.verification;

import org.jspecify.annotations.NullMarked;
