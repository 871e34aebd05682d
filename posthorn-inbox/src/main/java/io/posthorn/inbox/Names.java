/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;

/**
 * Checks what the table must be able to tell apart: a text that a database would cut or change
 * could turn two messages into one.
 */
final class Names {
  private static final int LONGEST_CONSUMER = 100;
  private static final int LONGEST_ID = 255;
  private static final int MAX_SHOWN = 100;

  private Names() {}

  static void requireConsumer(String consumer) {
    require("consumer", consumer, LONGEST_CONSUMER);
  }

  static String requireMessageId(String messageId) {
    require("message id", messageId, LONGEST_ID);
    return messageId;
  }

  /** It may come from a broker, and be as long as a message. */
  private static String beginning(String text) {
    return text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "…" : text;
  }

  private static void require(String what, String text, int longest) {
    requireNonNull(text, what);
    if (text.isBlank() || text.codePointCount(0, text.length()) > longest) {
      throw new IllegalArgumentException(
          "the %s was \"%s\" but must have 1 to %d characters"
              .formatted(what, beginning(text), longest));
    }
    if (text.indexOf('\0') >= 0 || !StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new IllegalArgumentException(
          "the %s has a NUL character or half a surrogate pair, which databases cannot store"
              .formatted(what));
    }
  }
}
