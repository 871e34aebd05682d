/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Reads configuration files, and says what is wrong with them, where, and how to mend it. */
@NullMarked
package io.posthorn.cli.config;

import org.jspecify.annotations.NullMarked;
