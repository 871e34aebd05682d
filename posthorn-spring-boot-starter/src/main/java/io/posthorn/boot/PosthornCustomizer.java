/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.Posthorn;

/**
 * Changes an outbox before it is built, after properties and beans have been applied. For what has
 * no property: aliases, upcasters, fallbacks, an executor.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface PosthornCustomizer {
  /**
   * @param outbox the name of the outbox; "outbox" if there is only one
   */
  void customize(String outbox, Posthorn.Builder builder);
}
