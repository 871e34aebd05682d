/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test;

import io.posthorn.Posthorn;
import io.posthorn.boot.PosthornCustomizer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Takes their threads from all outboxes that the application makes. */
final class SteppedOutboxes implements PosthornCustomizer {
  private final Map<String, Stepping> byName = new ConcurrentHashMap<>();

  @Override
  public void customize(String outbox, Posthorn.Builder builder) {
    Stepping stepping = new Stepping();
    stepping.applyTo(builder);
    byName.put(outbox, stepping);
  }

  @Nullable Stepping find(String outbox) {
    return byName.get(outbox);
  }
}
