/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What publishers meant and handlers got, outside the database. */
@NullMarked
package io.posthorn.verification.history;

import org.jspecify.annotations.NullMarked;
