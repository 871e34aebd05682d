/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.history;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message as its publisher meant it.
 *
 * @param number its place among those of its key; 0 without a key
 */
public record Sent(UUID id, @Nullable String key, long number, Nature nature) {}
