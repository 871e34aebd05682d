/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import java.util.UUID;

/**
 * Makes message ids. Safe to share between threads.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface IdGenerator {
  /** An id that was never made before. */
  UUID next();
}
