/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** An application that only publishes; relays of their own deliver. */
@NullMarked
package io.posthorn.standalone;

import org.jspecify.annotations.NullMarked;
