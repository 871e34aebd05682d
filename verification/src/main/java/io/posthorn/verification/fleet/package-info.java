/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Instances in JVMs of their own, and what can be done to them. */
@NullMarked
package io.posthorn.verification.fleet;

import org.jspecify.annotations.NullMarked;
