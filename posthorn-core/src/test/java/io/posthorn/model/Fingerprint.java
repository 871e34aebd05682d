/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import java.util.Arrays;

/** A state packed into a few words. It is exact: different contents are never equal. */
final class Fingerprint {

  private final long[] words;

  Fingerprint(long... words) {
    this.words = words.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Fingerprint that && Arrays.equals(words, that.words);
  }

  @Override
  public int hashCode() {
    long mixed = 0;
    for (long word : words) {
      mixed = (mixed ^ word) * 0x9E3779B97F4A7C15L;
      mixed ^= mixed >>> 32;
    }
    return (int) mixed;
  }

  /** Packs small numbers into one word. */
  static final class Packer {

    private long word;
    private int used;

    Packer put(int value, int bits) {
      if (value < 0 || value >> bits != 0 || used + bits > Long.SIZE) {
        throw new IllegalArgumentException(
            "%d does not fit into %d bits after %d".formatted(value, bits, used));
      }
      word |= (long) value << used;
      used += bits;
      return this;
    }

    Packer put(boolean value) {
      return put(value ? 1 : 0, 1);
    }

    @SuppressWarnings("EnumOrdinal") // The number does not outlive the run.
    <E extends Enum<E>> Packer put(E value, int bits) {
      return put(value.ordinal(), bits);
    }

    long word() {
      return word;
    }
  }
}
