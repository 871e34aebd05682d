/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What an instance handles, as it is stored: a line for each handler, its name and types between
 * tabs.
 */
final class HandlersText {
  private static final String TAB = "\t";

  private HandlersText() {}

  static String of(Map<String, Set<String>> handlers) {
    return handlers.entrySet().stream()
        .map(handler -> handler.getKey() + TAB + ofTypes(handler.getValue()))
        .collect(Collectors.joining("\n"));
  }

  static String ofTypes(Set<String> types) {
    return String.join(TAB, new TreeSet<>(types));
  }

  /** Of any text: what another version or a person has written must not stop the whole fleet. */
  static Map<String, Set<String>> parse(String text) {
    Map<String, Set<String>> handlers = new LinkedHashMap<>();
    text.lines()
        .map(line -> line.split(TAB, 2))
        .filter(fields -> !fields[0].isEmpty())
        .forEach(fields -> handlers.put(fields[0], parseTypes(fields.length < 2 ? "" : fields[1])));
    return handlers;
  }

  static Set<String> parseTypes(String text) {
    return Arrays.stream(text.split(TAB, -1))
        .filter(type -> !type.isEmpty())
        .collect(Collectors.toUnmodifiableSet());
  }
}
