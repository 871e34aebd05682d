/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The relay as a process of its own. */
@NullMarked
package io.posthorn.cli.relay;

import org.jspecify.annotations.NullMarked;
