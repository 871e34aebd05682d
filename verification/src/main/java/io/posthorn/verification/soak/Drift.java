/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.soak;

import java.util.Arrays;
import java.util.List;

/**
 * Tells whether a figure gets worse for as long as a run lasts. The medians of the three thirds are
 * compared, so that spikes do not count. It has to get worse from the first third to the second and
 * from the second to the last, each by a good part of the whole: what has come to rest on another
 * level, or was worse for a while at the end, is no drift. The beginning, while everything warms
 * up, is left out.
 *
 * @param up whether more is worse
 * @param share by which part of the first third's median it must have changed at least
 * @param least by how much it must have changed at least
 */
record Drift(boolean up, double share, double least) {
  private static final double WARM_UP = 0.2;
  private static final int MIN_PER_THIRD = 8;

  /** The whole change would be two halves if it were steady. */
  private static final double STEADY = 0.2;

  /** The medians of the thirds. */
  record Thirds(double first, double second, double last) {}

  /** Whether there are enough values to say anything. */
  static boolean canTell(List<Double> values) {
    return (int) (values.size() * (1 - WARM_UP)) / 3 >= MIN_PER_THIRD;
  }

  static Thirds thirds(List<Double> values) {
    List<Double> warm = values.subList((int) Math.ceil(values.size() * WARM_UP), values.size());
    int third = warm.size() / 3;
    return new Thirds(
        median(warm.subList(0, third)),
        median(warm.subList(third, 2 * third)),
        median(warm.subList(warm.size() - third, warm.size())));
  }

  boolean of(List<Double> values) {
    if (!canTell(values)) {
      return false;
    }
    Thirds thirds = thirds(values);
    double sign = up ? 1 : -1;
    double change = sign * (thirds.last - thirds.first);
    boolean large = change > Math.max(least, share * Math.abs(thirds.first));
    return large
        && sign * (thirds.second - thirds.first) >= STEADY * change
        && sign * (thirds.last - thirds.second) >= STEADY * change;
  }

  private static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return sorted.length == 0
        ? 0
        : Arrays.stream(sorted).skip(sorted.length / 2).findFirst().orElse(0);
  }
}
