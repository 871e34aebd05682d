/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The commands by which operators see and steer an outbox. */
@NullMarked
package io.posthorn.cli.command;

import org.jspecify.annotations.NullMarked;
