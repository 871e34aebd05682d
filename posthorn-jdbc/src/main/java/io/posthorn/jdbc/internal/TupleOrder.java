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
    if (tuples) {
      String marks = "?" + ", ?".repeat(columns.size() - 1);
      return "(%s) > (%s)".formatted(String.join(", ", columns), marks);
    }
    // The first comparison is the one that an index serves.
    return "(%s >= ? AND %s)".formatted(columns.get(0), behind(0));
  }

  private String behind(int first) {
    String column = columns.get(first);
    return first == columns.size() - 1
        ? column + " > ?"
        : "(%1$s > ? OR (%1$s = ? AND %2$s))".formatted(column, behind(first + 1));
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
