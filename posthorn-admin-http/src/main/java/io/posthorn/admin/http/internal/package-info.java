/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The operations of the admin API, and what they read and write. */
@NullMarked
package io.posthorn.admin.http.internal;

import org.jspecify.annotations.NullMarked;
