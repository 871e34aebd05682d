/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** A web page over the admin API. */
@NullMarked
package io.posthorn.dashboard;

import org.jspecify.annotations.NullMarked;
