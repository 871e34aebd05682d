/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.config;

import io.posthorn.ConfigurationException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.snakeyaml.engine.v2.nodes.Node;

/** What is wrong with a file; reported together, by line. */
final class Problems {
  private final String file;
  private final List<Problem> found = new ArrayList<>();

  private record Problem(int line, String text) {}

  Problems(String file) {
    this.file = file;
  }

  void add(Node where, String text) {
    int line = where.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
    found.add(new Problem(line, text));
  }

  boolean isEmpty() {
    return found.isEmpty();
  }

  /** Throws if there is any. */
  void report() {
    if (!found.isEmpty()) {
      throw new ConfigurationException(
          found.stream()
              .sorted(Comparator.comparingInt(Problem::line))
              .map(problem -> "%s, line %d: %s".formatted(file, problem.line, problem.text))
              .toList());
    }
  }
}
