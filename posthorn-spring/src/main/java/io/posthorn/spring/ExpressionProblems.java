/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Collects what is wrong with the expressions of one annotation. */
final class ExpressionProblems {
  private final String place;
  private final List<String> problems = new ArrayList<>();

  /**
   * @param place the annotation, and where it stands
   */
  ExpressionProblems(String place) {
    this.place = place;
  }

  void add(String problem) {
    problems.add(place + " " + problem);
  }

  void check(String what, String expression, SpelCheck check) {
    Optional<String> flaw = check.flawOf(expression);
    flaw.ifPresent(
        found -> add("has the %s expression \"%s\", which %s".formatted(what, expression, found)));
  }

  void checkKeyAndHeaders(String key, String[] headers, SpelCheck check) {
    if (!key.isEmpty()) {
      check("key", key, check);
    }
    for (String text : headers) {
      HeaderExpression header = HeaderExpression.of(text);
      if (header.name().isBlank()) {
        add("has the header \"%s\", which has no name; write name=expression".formatted(text));
      } else {
        check("header", header.expression(), check);
      }
    }
  }

  List<String> found() {
    return problems;
  }
}
