/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.publish;

import io.posthorn.Message;
import java.util.Map;
import java.util.Optional;

/** Why headers cannot be stored, and what to do. */
record HeaderFlaw(String found, String fix) {
  private static final int MOST_CHARS_TOGETHER = 32_000;

  static Optional<HeaderFlaw> in(Map<String, String> headers) {
    if (headers.containsKey(Message.IDEMPOTENCY_KEY_HEADER)) {
      return flaw(
          "it has a header \"" + Message.IDEMPOTENCY_KEY_HEADER + "\"",
          "set it by idempotencyKey(…), so that it counts");
    }
    return inStored(headers);
  }

  /** As above, for the headers of a message that is stored. */
  static Optional<HeaderFlaw> inStored(Map<String, String> headers) {
    int chars = 0;
    for (Map.Entry<String, String> header : headers.entrySet()) {
      Optional<HeaderFlaw> flaw = in(header.getKey(), header.getValue());
      if (flaw.isPresent()) {
        return flaw;
      }
      chars += header.getKey().length() + header.getValue().length();
    }
    return chars <= MOST_CHARS_TOGETHER
        ? Optional.empty()
        : flaw(
            "its headers have %d characters, the limit is %d".formatted(chars, MOST_CHARS_TOGETHER),
            "put large data into the payload");
  }

  private static Optional<HeaderFlaw> in(String name, String value) {
    if (name.isBlank()) {
      return flaw("a header name is blank", "give it a name");
    }
    if (name.length() > Sealer.MOST_CHARS) {
      return flaw(
          "its header name has %d characters, the limit is %d"
              .formatted(name.length(), Sealer.MOST_CHARS),
          "shorten it, or use a hash of it");
    }
    if (!Sealer.storable(name)) {
      return flaw("its header name" + Sealer.UNSTORABLE, Sealer.STORABLE_FIX);
    }
    return Sealer.storable(value)
        ? Optional.empty()
        : flaw("its header \"" + name + "\"" + Sealer.UNSTORABLE, Sealer.STORABLE_FIX);
  }

  private static Optional<HeaderFlaw> flaw(String found, String fix) {
    return Optional.of(new HeaderFlaw(found, fix));
  }
}
