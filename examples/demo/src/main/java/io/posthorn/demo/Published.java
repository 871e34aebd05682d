/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message as its publisher knows it.
 *
 * @param key null: no order
 * @param number its place among the messages of its key
 * @param poisoned whether it has to become a dead letter
 */
record Published(UUID id, @Nullable String key, long number, boolean poisoned) {}
