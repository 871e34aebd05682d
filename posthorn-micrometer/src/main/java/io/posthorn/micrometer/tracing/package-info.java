/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Traces that go on from the publisher to the handler, by Micrometer. */
@NullMarked
package io.posthorn.micrometer.tracing;

import org.jspecify.annotations.NullMarked;
