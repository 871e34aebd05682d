/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.MessageHeaders;
import io.posthorn.PosthornException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the id of a message among its headers. */
final class IdHeaders {
  /** The one that Posthorn sends, and those of CloudEvents, as the bindings have them. */
  static final List<String> NAMES =
      List.of(MessageHeaders.ID, "ce_id", "cloudEvents:id", "cloudEvents_id");

  private IdHeaders() {}

  static Optional<String> find(Map<String, ? extends @Nullable Object> headers) {
    return NAMES.stream().flatMap(name -> text(name, headers.get(name)).stream()).findFirst();
  }

  /** Brokers' headers come as bytes where nobody knows their type. */
  private static Optional<String> text(String name, @Nullable Object value) {
    String text = value instanceof byte[] bytes ? decoded(name, bytes) : String.valueOf(value);
    return value == null || text.isEmpty() ? Optional.empty() : Optional.of(text);
  }

  private static String decoded(String name, byte[] bytes) {
    try {
      // Strictly: two ids must not become one.
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new PosthornException(
          "header \"%s\" is not text in UTF-8; have the sender write it so".formatted(name), e);
    }
  }
}
