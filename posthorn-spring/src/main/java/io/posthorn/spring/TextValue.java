/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import java.time.temporal.Temporal;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Turns what an expression yields into the text of a key or header. */
final class TextValue {
  private TextValue() {}

  /**
   * The text of a simple value, or null for null.
   *
   * @throws IllegalArgumentException if its text would not be the same everywhere and always
   */
  static @Nullable String of(@Nullable Object value) {
    if (value == null) {
      return null;
    }
    boolean simple =
        value instanceof CharSequence
            || value instanceof Number
            || value instanceof UUID
            || value instanceof Enum<?>
            || value instanceof Boolean
            || value instanceof Character
            || value instanceof Temporal;
    if (!simple) {
      throw new IllegalArgumentException(
          "it yields a %s, which has no text of its own; choose a property that is text, a number, a UUID, an enum, a boolean or a time"
              .formatted(value.getClass().getName()));
    }
    return String.valueOf(value);
  }
}
