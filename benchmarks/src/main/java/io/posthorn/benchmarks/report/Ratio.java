/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.report;

import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Ratios run by run: their median and their range. */
record Ratio(double median, double lowest, double highest, int runs) {

  /** Null if there are none. */
  static @Nullable Ratio of(Collection<Double> ratios) {
    Double median = median(ratios);
    return median == null
        ? null
        : new Ratio(
            median,
            ratios.stream().mapToDouble(it -> it).min().orElseThrow(),
            ratios.stream().mapToDouble(it -> it).max().orElseThrow(),
            ratios.size());
  }

  /** Of the values that there are and that are numbers; null if there are none. */
  static @Nullable Double median(Collection<? extends @Nullable Double> values) {
    double[] sorted =
        values.stream()
            .filter(Objects::nonNull)
            .mapToDouble(it -> it)
            .filter(it -> !Double.isNaN(it))
            .sorted()
            .toArray();
    int middle = sorted.length / 2;
    if (sorted.length == 0) {
      return null;
    }
    return sorted.length % 2 == 1
        ? sorted[middle]
        : Arrays.stream(sorted, middle - 1, middle + 1).sum() / 2;
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.2f (%.2f–%.2f)", median, lowest, highest);
  }
}
