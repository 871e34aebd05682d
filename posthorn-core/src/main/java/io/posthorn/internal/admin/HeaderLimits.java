/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import java.util.Map;

/** The limits that publishing has, for headers that a person changes. */
final class HeaderLimits {
  private static final int MOST_NAME_CHARS = 255;
  private static final int MOST_CHARS = 32_000;

  private HeaderLimits() {}

  static void check(Map<String, String> headers) {
    int chars = 0;
    for (Map.Entry<String, String> header : headers.entrySet()) {
      if (header.getKey().isBlank() || header.getKey().length() > MOST_NAME_CHARS) {
        throw refused("a header name must have 1 to 255 characters");
      }
      if (!storable(header.getKey()) || !storable(header.getValue())) {
        throw refused(
            "one of them has a NUL character or half a surrogate pair, which not every database can store");
      }
      chars += header.getKey().length() + header.getValue().length();
    }
    if (chars > MOST_CHARS) {
      throw refused("they have %d characters, the limit is %d".formatted(chars, MOST_CHARS));
    }
  }

  private static boolean storable(String text) {
    return text.codePoints().allMatch(c -> c != 0 && Character.getType(c) != Character.SURROGATE);
  }

  private static IllegalArgumentException refused(String why) {
    return new IllegalArgumentException("Headers not changed: " + why);
  }
}
