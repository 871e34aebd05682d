/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import java.util.Arrays;

/** A growing list of plain integers: millions of steps are kept, so boxes are too dear. */
final class Ints {

  private int[] values = new int[1 << 10];
  private int size;

  void add(int value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, size * 2);
    }
    values[size++] = value;
  }

  int get(int position) {
    return values[position];
  }

  int size() {
    return size;
  }
}
