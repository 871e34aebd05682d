/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An object that a client sent. Each member must be asked for: one that is not expected is a
 * mistake of the client, and must not pass unseen.
 */
final class JsonInput {
  private final String path;
  private final Map<String, @Nullable Object> members;
  private final Set<String> asked = new HashSet<>();

  /**
   * @param path where it stands in the body
   * @param members null, a String, a Long, a Double, a Boolean, a JsonInput, or a List of them
   */
  JsonInput(String path, Map<String, @Nullable Object> members) {
    this.path = path;
    this.members = members;
  }

  boolean has(String name) {
    return members.get(name) != null;
  }

  @Nullable String optionalText(String name) {
    Object value = get(name);
    if (value == null || value instanceof String) {
      return (String) value;
    }
    throw wrong(name, "a text");
  }

  String text(String name) {
    String value = optionalText(name);
    if (value == null || value.isEmpty()) {
      throw wrong(name, "a text of at least one character");
    }
    return value;
  }

  boolean flag(String name) {
    Object value = get(name);
    if (value == null || value instanceof Boolean) {
      return Boolean.TRUE.equals(value);
    }
    throw wrong(name, "true or false");
  }

  int integer(String name) {
    if (get(name) instanceof Long value && value >= 0 && value <= Integer.MAX_VALUE) {
      return value.intValue();
    }
    throw wrong(name, "a number without fraction, 0 or more");
  }

  JsonInput object(String name) {
    if (get(name) instanceof JsonInput value) {
      return value;
    }
    throw wrong(name, "an object");
  }

  List<String> texts(String name) {
    List<String> texts = new ArrayList<>();
    if (get(name) instanceof List<?> items) {
      for (Object item : items) {
        if (!(item instanceof String text)) {
          throw wrong(name, "a list of texts");
        }
        texts.add(text);
      }
      return texts;
    }
    throw wrong(name, "a list of texts");
  }

  /** All members, which must be texts. */
  Map<String, String> allTexts() {
    Map<String, String> texts = new LinkedHashMap<>();
    for (String name : members.keySet()) {
      if (!(get(name) instanceof String text)) {
        throw wrong(name, "a text");
      }
      texts.put(name, text);
    }
    return texts;
  }

  /** To be called when all that can be there was asked for. */
  void end() {
    for (String name : members.keySet()) {
      if (!asked.contains(name)) {
        throw RequestProblem.badRequest(
            "\"%s\" is not known here; known are %s",
            pathOf(name), asked.stream().sorted().toList());
      }
    }
  }

  private @Nullable Object get(String name) {
    asked.add(name);
    return members.get(name);
  }

  private RequestProblem wrong(String name, String expected) {
    Object value = members.get(name);
    return RequestProblem.badRequest(
        "\"%s\" was %s but must be %s",
        pathOf(name), value == null ? "missing" : "something else", expected);
  }

  private String pathOf(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }
}
