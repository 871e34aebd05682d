/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The application under test. */
@NullMarked
package io.posthorn.verification.instance;

import org.jspecify.annotations.NullMarked;
