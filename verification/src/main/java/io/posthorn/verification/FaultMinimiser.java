/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification;

import io.posthorn.verification.check.Fault;
import io.posthorn.verification.check.Verdict;
import io.posthorn.verification.check.Violation;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Looks for the smallest set of kinds of faults that still breaks a promise: none at all, those in
 * the stories of the messages, and then one less at a time, as long as there is time. What a seed
 * does not decide may keep a violation from showing once more, so the set may be larger than need
 * be, and is never smaller.
 */
final class FaultMinimiser {
  private final Rerun rerun;
  private final BooleanSupplier timeLeft;
  private int runs;

  /** Runs the same without some kinds of faults. */
  @FunctionalInterface
  interface Rerun {
    Verdict without(Set<Fault.Kind> kinds) throws InterruptedException;
  }

  /**
   * @param timeLeft whether there is time for one more run
   */
  FaultMinimiser(Rerun rerun, BooleanSupplier timeLeft) {
    this.rerun = rerun;
    this.timeLeft = timeLeft;
  }

  /** How many runs it took. */
  int runs() {
    return runs;
  }

  /**
   * @param broken a verdict with violations
   * @return the kinds of faults that are needed, as far as could be found out
   */
  Set<Fault.Kind> minimise(Verdict broken) throws InterruptedException {
    Set<Fault.Kind> all = copy(broken.faults().keySet());
    Set<Fault.Kind> none = EnumSet.noneOf(Fault.Kind.class);
    if (all.isEmpty() || shows(broken, all, none)) {
      return none;
    }
    Set<Fault.Kind> told = told(broken);
    Set<Fault.Kind> needed = told.size() < all.size() && shows(broken, all, told) ? told : all;
    for (Fault.Kind kind : List.copyOf(needed)) {
      Set<Fault.Kind> fewer = copy(needed);
      fewer.remove(kind);
      if (!fewer.isEmpty() && shows(broken, all, fewer)) {
        needed = fewer;
      }
    }
    return needed;
  }

  private static Set<Fault.Kind> copy(Set<Fault.Kind> kinds) {
    Set<Fault.Kind> copy = EnumSet.noneOf(Fault.Kind.class);
    copy.addAll(kinds);
    return copy;
  }

  /** The kinds of faults in the stories. */
  private static Set<Fault.Kind> told(Verdict broken) {
    Set<Fault.Kind> told = EnumSet.noneOf(Fault.Kind.class);
    for (Fault.Kind kind : broken.faults().keySet()) {
      String line = Violation.FAULT + kind.label() + " of ";
      boolean named =
          broken.violations().stream()
              .flatMap(violation -> violation.story().stream())
              .anyMatch(event -> event.startsWith(line));
      if (named) {
        told.add(kind);
      }
    }
    return told;
  }

  private boolean shows(Verdict broken, Set<Fault.Kind> all, Set<Fault.Kind> kept)
      throws InterruptedException {
    if (!timeLeft.getAsBoolean()) {
      return false;
    }
    runs++;
    Set<Fault.Kind> without = copy(all);
    without.removeAll(kept);
    Set<Violation.Kind> found = rerun.without(without).counts().keySet();
    return broken.counts().keySet().stream().anyMatch(found::contains);
  }
}
