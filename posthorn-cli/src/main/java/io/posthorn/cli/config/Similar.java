/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.TreeSet;

/** Guesses what was meant by a name that nobody knows. */
final class Similar {
  private Similar() {}

  /** What to say about it. */
  static String hint(String name, Collection<String> known) {
    return known.stream()
        .min(Comparator.comparingInt(other -> distance(name, other)))
        .filter(other -> distance(name, other) <= Math.max(2, name.length() / 3))
        .map("did you mean \"%s\"?"::formatted)
        .orElseGet(() -> "known are " + String.join(", ", new TreeSet<>(known)));
  }

  /** How many characters have to be changed, added or removed (Levenshtein). */
  private static int distance(String one, String other) {
    int[] row = new int[other.length() + 1];
    for (int j = 0; j <= other.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int change = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[other.length()];
  }
}
