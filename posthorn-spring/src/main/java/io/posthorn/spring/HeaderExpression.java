/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

/**
 * A header as annotations give it.
 *
 * @param name blank if the annotation has none
 */
record HeaderExpression(String name, String expression) {
  /** Reads {@code name=expression}. */
  static HeaderExpression of(String text) {
    int equals = text.indexOf('=');
    return equals < 0
        ? new HeaderExpression("", text)
        : new HeaderExpression(
            text.substring(0, equals).strip(), text.substring(equals + 1).strip());
  }
}
