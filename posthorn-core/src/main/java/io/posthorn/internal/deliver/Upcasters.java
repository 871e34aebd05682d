/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.spi.Envelope;
import io.posthorn.spi.PayloadUpcaster;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Brings payloads into the form of today. Safe to share between threads. */
final class Upcasters {
  private final Map<String, PayloadUpcaster> byType;

  Upcasters(Map<String, PayloadUpcaster> byType) {
    this.byType = Map.copyOf(byType);
  }

  /** The payload to decode; null if it is a tombstone, or has become one. */
  byte @Nullable [] payload(Envelope envelope) throws Invoker.Undecodable {
    byte[] payload = envelope.payload();
    PayloadUpcaster upcaster = byType.get(envelope.type());
    if (payload == null || upcaster == null) {
      return payload;
    }
    try {
      return upcaster.upcast(envelope);
    } catch (RuntimeException e) {
      throw new Invoker.Undecodable(
          "the payload of message \"%s\" (%s, %d bytes) could not be upcast for type \"%s\": %s"
              .formatted(
                  envelope.id(),
                  envelope.contentType(),
                  payload.length,
                  envelope.type(),
                  e.getMessage()),
          e);
    }
  }
}
