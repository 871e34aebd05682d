/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Sends messages to HTTP endpoints. */
@NullMarked
package io.posthorn.http;

import org.jspecify.annotations.NullMarked;
