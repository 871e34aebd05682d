/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.HandlerSpec;
import java.time.Duration;
import java.util.Collection;

/**
 * How long handlers may take.
 *
 * @param ofRelay for those that do not say
 */
record TimeLimits(Duration ofRelay) {
  Duration of(HandlerSpec<?> handler) {
    return handler.timeLimit().orElse(ofRelay);
  }

  /** The shortest of them, the relay's included. */
  Duration shortest(Collection<HandlerSpec<?>> handlers) {
    Duration shortest = ofRelay;
    for (HandlerSpec<?> handler : handlers) {
      shortest = of(handler).compareTo(shortest) < 0 ? of(handler) : shortest;
    }
    return shortest;
  }
}
