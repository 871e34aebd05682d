/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Engines with one thing done wrong, made by changing the byte code of the real one: what finds the
 * faults of an engine must find theirs.
 */
@NullMarked
package io.posthorn.verification.broken;

import org.jspecify.annotations.NullMarked;
