/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.route;

import io.posthorn.Delivery;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Text with values of a message in it: {@code orders-{tenant}}. In a URL the values are
 * percent-encoded, so that none of them changes where it leads. Immutable.
 */
public final class Template {
  private static final String KNOWN =
      "{id}, {type}, {key}, {tenant}, {aggregate-type}, {header.NAME}";
  private static final String HEADER = "header.";

  private final String text;
  private final List<Function<Delivery, @Nullable String>> parts; // literals and values in turn

  private final boolean isUrl;

  private Template(String text, List<Function<Delivery, @Nullable String>> parts) {
    this.text = text;
    this.isUrl = startsWith(text, "https://") || startsWith(text, "http://");
    this.parts = List.copyOf(parts);
  }

  /**
   * @throws IllegalArgumentException if something in braces has no meaning
   */
  public static Template of(String text) {
    List<Function<Delivery, @Nullable String>> parts = new ArrayList<>();
    int at = 0;
    for (int open = text.indexOf('{'); open >= 0; open = text.indexOf('{', at)) {
      int close = text.indexOf('}', open);
      if (close < 0) {
        throw new IllegalArgumentException(
            "\"%s\" has a \"{\" without a \"}\" behind it; known are %s".formatted(text, KNOWN));
      }
      parts.add(literal(text.substring(at, open)));
      parts.add(value(text, text.substring(open + 1, close)));
      at = close + 1;
    }
    if (at > 0) {
      parts.add(literal(text.substring(at)));
    }
    return new Template(text, parts);
  }

  /** Schemes of URLs are the same in either case. */
  private static boolean startsWith(String text, String scheme) {
    return text.regionMatches(true, 0, scheme, 0, scheme.length());
  }

  private static Function<Delivery, @Nullable String> literal(String part) {
    return delivery -> part;
  }

  private static String encode(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static Function<Delivery, @Nullable String> value(String text, String name) {
    if (name.startsWith(HEADER) && name.length() > HEADER.length()) {
      String header = name.substring(HEADER.length());
      return delivery -> delivery.headers().get(header);
    }
    return switch (name) {
      case "id" -> delivery -> delivery.messageId().toString();
      case "type" -> Delivery::type;
      case "key" -> Delivery::key;
      case "tenant" -> Delivery::tenant;
      case "aggregate-type" -> Delivery::aggregateType;
      default ->
          throw new IllegalArgumentException(
              "\"%s\" names {%s}; known are %s".formatted(text, name, KNOWN));
    };
  }

  /** The text for one message; empty if it lacks one of the values. */
  public Optional<String> fill(Delivery delivery) {
    if (parts.isEmpty()) {
      return Optional.of(text);
    }
    StringBuilder filled = new StringBuilder();
    for (int i = 0; i < parts.size(); i++) {
      String value = parts.get(i).apply(delivery);
      if (value == null) {
        return Optional.empty();
      }
      boolean isLiteral = i % 2 == 0;
      filled.append(isUrl && !isLiteral ? encode(value) : value);
    }
    return Optional.of(filled.toString());
  }

  /** As it was given. */
  @Override
  public String toString() {
    return text;
  }
}
