/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.verification.check.Fault;
import java.util.ArrayList;
import java.util.List;

/** What was done to the fleet and when: it excuses what the checker would object to otherwise. */
final class FaultLog {
  private final List<Fault> faults = new ArrayList<>();

  /** The clock that all times of faults are of. */
  static long now() {
    return System.currentTimeMillis();
  }

  /** Notes what was done to one life of an instance from then until now. */
  void note(Fault.Kind kind, String life, long from) {
    faults.add(new Fault(kind, life, from, now()));
  }

  /** Notes what was done to all instances from then until now. */
  void noteOfAll(Fault.Kind kind, long from) {
    faults.add(new Fault(kind, null, from, now()));
  }

  List<Fault> all() {
    return List.copyOf(faults);
  }

  /** When the last one ended; 0 if there was none. */
  long lastEnd() {
    return faults.isEmpty() ? 0 : faults.get(faults.size() - 1).to();
  }

  int size() {
    return faults.size();
  }

  void clear() {
    faults.clear();
  }
}
