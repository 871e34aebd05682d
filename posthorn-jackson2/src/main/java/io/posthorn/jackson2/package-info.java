/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Payloads as JSON, by Jackson 2. */
@NullMarked
package io.posthorn.jackson2;

import org.jspecify.annotations.NullMarked;
