/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Compares some columns of a row with values, as one; each column counts before those after it. */
final class TupleOrder {
  private final boolean tuples;
  private final List<String> columns;

  TupleOrder(Dialect dialect, String columns) {
    this.tuples = dialect.comparesTuples();
    this.columns = List.of(columns.split(", ", -1));
  }

  /** A condition for rows behind the {@link #values}, which are its parameters. */
  String behind() {
    return compared(">");
  }

  /**
   * The same for rows on one side of the values.
   *
   * @param side {@code >} or {@code <=}
   */
  String compared(String side) {
    if (tuples) {
      String marks = "?" + ", ?".repeat(columns.size() - 1);
      return "(%s) %s (%s)".formatted(String.join(", ", columns), side, marks);
    }
    // The first comparison is the one that an index serves.
    return "(%s %s= ? AND %s)".formatted(columns.get(0), side.charAt(0), compared(side, 0));
  }

  private String compared(String side, int first) {
    String column = columns.get(first);
    return first == columns.size() - 1
        ? column + " " + side + " ?"
        : "(%1$s %2$s ? OR (%1$s = ? AND %3$s))"
            .formatted(column, side.charAt(0), compared(side, first + 1));
  }

  List<Object> values(Object... values) {
    if (tuples) {
      return Arrays.asList(values);
    }
    List<Object> repeated = new ArrayList<>();
    repeated.add(values[0]);
    for (int i = 0; i < values.length; i++) {
      repeated.add(values[i]);
      if (i < values.length - 1) {
        repeated.add(values[i]);
      }
    }
    return repeated;
  }
}
