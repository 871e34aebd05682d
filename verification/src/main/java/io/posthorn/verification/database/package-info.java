/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What differs between the databases that the runs are made on: one class for each. */
@NullMarked
package io.posthorn.verification.database;

import org.jspecify.annotations.NullMarked;
