/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.verification.check.Fault;
import io.posthorn.verification.check.Verdict;
import io.posthorn.verification.check.Violation;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class FaultMinimiserTest {
  private static final Map<Fault.Kind, Integer> INJECTED =
      Map.of(
          Fault.Kind.KILL, 4,
          Fault.Kind.FREEZE, 2,
          Fault.Kind.CUT, 3,
          Fault.Kind.RESET, 1,
          Fault.Kind.LATENCY, 1);

  private static Verdict broken(Violation.Kind kind, String... story) {
    return new Verdict(
        1,
        0,
        0,
        0,
        Map.of(kind, 1L),
        List.of(new Violation(kind, "as forged", List.of(story))),
        Map.of(),
        INJECTED);
  }

  private static FaultMinimiser.Rerun showsIf(Predicate<Set<Fault.Kind>> injected) {
    return without -> {
      Set<Fault.Kind> left = EnumSet.copyOf(INJECTED.keySet());
      left.removeAll(without);
      return injected.test(left) ? broken(Violation.Kind.LOST) : Verdict.NOTHING;
    };
  }

  private static Set<Fault.Kind> minimise(FaultMinimiser.Rerun rerun) throws Exception {
    return new FaultMinimiser(rerun, () -> true).minimise(broken(Violation.Kind.LOST));
  }

  @Test
  void onlyTheFaultsThatMatterAreLeft() throws Exception {
    assertThat(
            minimise(
                showsIf(faults -> faults.containsAll(Set.of(Fault.Kind.KILL, Fault.Kind.CUT)))))
        .containsExactly(Fault.Kind.KILL, Fault.Kind.CUT);
  }

  @Test
  void noneAreLeftIfNoneMatters() throws Exception {
    assertThat(minimise(showsIf(faults -> true))).isEmpty();
  }

  @Test
  void allAreLeftIfItDoesNotShowAgain() throws Exception {
    assertThat(minimise(showsIf(faults -> false))).isEqualTo(INJECTED.keySet());
  }

  @Test
  void anotherViolationDoesNotCount() throws Exception {
    assertThat(minimise(without -> broken(Violation.Kind.PHANTOM))).isEqualTo(INJECTED.keySet());
  }

  @Test
  void faultsInTheStoryAreTriedFirst() throws Exception {
    FaultMinimiser minimiser =
        new FaultMinimiser(showsIf(faults -> faults.contains(Fault.Kind.FREEZE)), () -> true);

    Set<Fault.Kind> needed =
        minimiser.minimise(broken(Violation.Kind.LOST, "fault: freeze of a#1 from 1 to 2"));

    assertThat(needed).containsExactly(Fault.Kind.FREEZE);
    assertThat(minimiser.runs()).isEqualTo(2); // none, and this one
  }

  @Test
  void nothingIsRunWithoutTime() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    FaultMinimiser minimiser =
        new FaultMinimiser(showsIf(faults -> true), () -> asked.incrementAndGet() > 100);

    assertThat(minimiser.minimise(broken(Violation.Kind.LOST))).isEqualTo(INJECTED.keySet());
    assertThat(minimiser.runs()).isZero();
  }
}
