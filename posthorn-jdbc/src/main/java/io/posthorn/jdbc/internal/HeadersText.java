/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.MessageHeaders;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Headers as they are stored: a JSON object of strings, which people and change data capture can
 * read.
 */
final class HeadersText {
  private HeadersText() {}

  /** Null if there are none. */
  static @Nullable String of(Map<String, String> headers) {
    if (headers.isEmpty()) {
      return null;
    }
    StringBuilder json = new StringBuilder("{");
    new TreeMap<>(headers)
        .forEach(
            (name, value) -> {
              json.append(json.length() > 1 ? "," : "");
              quote(json, name);
              json.append(':');
              quote(json, value);
            });
    return json.append('}').toString();
  }

  private static void quote(StringBuilder json, String text) {
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < ' ') {
        json.append("\\u%04x".formatted((int) c));
      } else {
        json.append(c);
      }
    }
    json.append('"');
  }

  /**
   * Headers of a row that somebody else may have written. Those that can't be read must not stop
   * the rows behind, so a header says so in their place; the row keeps them as they are.
   */
  static Map<String, String> read(@Nullable String json) {
    try {
      return parse(json);
    } catch (IllegalArgumentException e) {
      return Map.of(MessageHeaders.UNREADABLE, String.valueOf(e.getMessage()));
    }
  }

  /**
   * @throws IllegalArgumentException if it is not a JSON object of strings
   */
  static Map<String, String> parse(@Nullable String json) {
    return json == null ? Map.of() : new Parser(json).object();
  }

  private static final class Parser {
    private final String json;
    private int at;

    Parser(String json) {
      this.json = json;
    }

    Map<String, String> object() {
      Map<String, String> headers = new LinkedHashMap<>();
      expect('{');
      if (peek() == '}') {
        expect('}');
      } else {
        do {
          String name = string();
          expect(':');
          headers.put(name, string());
        } while (more());
      }
      if (at < json.length() && !json.substring(at).isBlank()) {
        throw unexpected();
      }
      return headers;
    }

    private boolean more() {
      if (peek() == ',') {
        expect(',');
        return true;
      }
      expect('}');
      return false;
    }

    private String string() {
      expect('"');
      StringBuilder text = new StringBuilder();
      while (next() != '"') {
        char c = json.charAt(at++);
        text.append(c == '\\' ? escaped() : c);
      }
      at++;
      return text.toString();
    }

    private char escaped() {
      char c = next();
      at++;
      return switch (c) {
        case 'n' -> '\n';
        case 't' -> '\t';
        case 'r' -> '\r';
        case 'b' -> '\b';
        case 'f' -> '\f';
        case 'u' -> unicode();
        default -> c;
      };
    }

    private char unicode() {
      if (at + 4 > json.length()) {
        throw unexpected();
      }
      int c = 0;
      for (int end = at + 4; at < end; at++) {
        int digit = Character.digit(json.charAt(at), 16);
        if (digit < 0) {
          throw unexpected();
        }
        c = c * 16 + digit;
      }
      return (char) c;
    }

    private char next() {
      if (at >= json.length()) {
        throw unexpected();
      }
      return json.charAt(at);
    }

    private char peek() {
      while (next() == ' ' || next() == '\n' || next() == '\t' || next() == '\r') {
        at++;
      }
      return json.charAt(at);
    }

    private void expect(char wanted) {
      if (peek() != wanted) {
        throw unexpected();
      }
      at++;
    }

    private IllegalArgumentException unexpected() {
      return new IllegalArgumentException(
          "headers are not a JSON object of strings, at character " + at);
    }
  }
}
