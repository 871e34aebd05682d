/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Metrics and traces by Micrometer. */
@NullMarked
package io.posthorn.micrometer;

import org.jspecify.annotations.NullMarked;
