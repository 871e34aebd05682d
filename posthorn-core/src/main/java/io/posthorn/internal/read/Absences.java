/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.read;

import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Since when no live instance has had a handler, or has taken a type for it, as this relay saw it.
 * A restart begins anew, which loses nothing. Reader thread only.
 */
final class Absences {
  /**
   * Something that is missed.
   *
   * @param type empty: the whole handler
   */
  record Absence(String handler, String type) {}

  private final Ticker ticker;
  private final Map<Absence, Long> since = new HashMap<>();

  Absences(Ticker ticker) {
    this.ticker = ticker;
  }

  /** Notes that it is missed; for how long it has been. */
  Duration note(Absence absence) {
    long now = ticker.nanos();
    return Duration.ofNanos(now - since.computeIfAbsent(absence, any -> now));
  }

  /** Only these are still missed. */
  void retain(Set<Absence> absent) {
    since.keySet().retainAll(absent);
  }
}
