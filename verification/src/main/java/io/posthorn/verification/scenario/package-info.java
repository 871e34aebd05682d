/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What is done to a fleet. */
@NullMarked
package io.posthorn.verification.scenario;

import org.jspecify.annotations.NullMarked;
