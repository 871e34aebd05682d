/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The program {@code posthorn}. */
@NullMarked
package io.posthorn.cli;

import org.jspecify.annotations.NullMarked;
