/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import java.util.Arrays;

/**
 * A sorted set of seqs, without a box for each. Made for what a relay does: seqs are added in
 * order, but for a few, and removed many at a time. Guarded by the memory's lock.
 */
final class SeqSet {
  private long[] seqs = new long[8];
  private int size;

  /** Adds a seq; false if it is there. */
  boolean add(long seq) {
    int place = size == 0 || seq > seqs[size - 1] ? size : Arrays.binarySearch(seqs, 0, size, seq);
    if (place >= 0 && place < size) {
      return false;
    }
    place = place < 0 ? -place - 1 : place;
    if (size == seqs.length) {
      seqs = Arrays.copyOf(seqs, size * 2);
    }
    System.arraycopy(seqs, place, seqs, place + 1, size - place);
    seqs[place] = seq;
    size++;
    return true;
  }

  /** Removes those of the seqs that are there. */
  void removeAll(LongList removed) {
    long[] sorted = removed.toArray();
    Arrays.sort(sorted);
    int next = 0;
    int kept = 0;
    for (int i = 0; i < size; i++) {
      while (next < sorted.length && sorted[next] < seqs[i]) {
        next++;
      }
      if (next == sorted.length || sorted[next] != seqs[i]) {
        seqs[kept++] = seqs[i];
      }
    }
    size = kept;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** The lowest one; there must be one. */
  long first() {
    return seqs[0];
  }

  /** Adds those behind one seq and up to another to a list, in order. */
  void copyTo(LongList to, long after, long last) {
    int from = Arrays.binarySearch(seqs, 0, size, after);
    for (int i = from < 0 ? -from - 1 : from + 1; i < size && seqs[i] <= last; i++) {
      to.add(seqs[i]);
    }
  }

  long[] toArray() {
    return Arrays.copyOf(seqs, size);
  }
}
