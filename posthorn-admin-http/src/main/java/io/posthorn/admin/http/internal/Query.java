/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a request. Each must be asked for: a filter that is misspelt must not match
 * everything.
 */
final class Query {
  private static final int MAX_LENGTH = 8_000;

  private final Map<String, String> values = new LinkedHashMap<>();
  private final Set<String> asked = new HashSet<>();

  Query(@Nullable String raw) {
    if (raw == null || raw.isEmpty()) {
      return;
    }
    if (raw.length() > MAX_LENGTH) {
      throw RequestProblem.badRequest(
          "the query had %d characters but may have %d", raw.length(), MAX_LENGTH);
    }
    for (String parameter : raw.split("&", -1)) {
      int equals = parameter.indexOf('=');
      String name = Paths.decode(equals < 0 ? parameter : parameter.substring(0, equals), true);
      String value = equals < 0 ? "" : Paths.decode(parameter.substring(equals + 1), true);
      if (values.put(name, value) != null) {
        throw RequestProblem.badRequest("the parameter \"%s\" was given twice", name);
      }
    }
  }

  /** Not empty; null if it is not there. */
  @Nullable String text(String name) {
    asked.add(name);
    String value = values.get(name);
    if (value != null && value.isEmpty()) {
      throw RequestProblem.badRequest(
          "the parameter \"%s\" was empty; leave it out or give it a value", name);
    }
    return value;
  }

  @Nullable UUID uuid(String name) {
    return parse(name, Query::uuidOf, "a UUID");
  }

  @Nullable Instant instant(String name) {
    return parse(name, Instant::parse, "a time such as 2026-01-31T12:00:00Z");
  }

  <E extends Enum<E>> @Nullable E constant(String name, Class<E> type) {
    return parse(
        name,
        text -> Enum.valueOf(type, text),
        "one of " + java.util.Arrays.toString(type.getEnumConstants()));
  }

  int integer(String name, int min, int max, int fallback) {
    Integer value = parse(name, Integer::valueOf, "a number from %d to %d".formatted(min, max));
    if (value == null) {
      return fallback;
    }
    if (value < min || value > max) {
      throw RequestProblem.badRequest(
          "the parameter \"%s\" was %d but must be a number from %d to %d", name, value, min, max);
    }
    return value;
  }

  /** To be called when all that can be there was asked for. */
  void end() {
    for (String name : values.keySet()) {
      if (!asked.contains(name)) {
        throw RequestProblem.badRequest(
            "the parameter \"%s\" is not known here; known are %s",
            shown(name), asked.stream().sorted().toList());
      }
    }
  }

  /** As it is written everywhere: other spellings would be other names of the same. */
  static UUID uuidOf(String text) {
    UUID id = UUID.fromString(text);
    if (!id.toString().equals(text.toLowerCase(Locale.ROOT))) {
      throw new IllegalArgumentException("not the usual form of a UUID");
    }
    return id;
  }

  private <T> @Nullable T parse(String name, Function<String, T> parser, String expected) {
    String value = text(name);
    if (value == null) {
      return null;
    }
    try {
      return parser.apply(value);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw RequestProblem.badRequest(
          "the parameter \"%s\" was \"%s\" but must be %s", name, shown(value), expected);
    }
  }

  private static String shown(String text) {
    return text.length() <= 100 ? text : text.substring(0, 100) + "…";
  }
}
