/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.Posthorn;

/** Goes with outboxes that the factory makes, from before they are built until they stop. */
interface OutboxCompanion {
  /** One is about to be built. */
  void join(String name, Posthorn.Builder builder);

  /** It has been. */
  void built(String name, Posthorn posthorn);

  /** It was started. */
  void started(Posthorn posthorn);

  /** It is about to stop. */
  void stopping(Posthorn posthorn);
}
