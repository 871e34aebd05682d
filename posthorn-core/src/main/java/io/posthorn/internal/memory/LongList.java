/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import java.util.Arrays;

/** Seqs, without a box for each. One thread only. */
final class LongList {
  private long[] values = new long[8];
  private int size;

  void add(long value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, size * 2);
    }
    values[size++] = value;
  }

  boolean isEmpty() {
    return size == 0;
  }

  void clear() {
    size = 0;
  }

  long[] toArray() {
    return Arrays.copyOf(values, size);
  }
}
