/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.model.Action.Kind;
import io.posthorn.model.Fleet.Budget;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The reduction by fingerprints hides nothing, checked on the whole unreduced state space. */
class FleetFingerprintTest {

  private record Future(Kind kind, Fingerprint after) {}

  @Test
  void fleetsOfTwoWithTheSameFingerprintHaveTheSameFuture() {
    assertSameFutures(new LeaseModel(2, 1, 1, new Budget(1, 0, 0), Protocol.AS_BUILT));
  }

  @Test
  void fleetsOfThreeWithTheSameFingerprintHaveTheSameFuture() {
    assertSameFutures(new LeaseModel(3, 1, 1, new Budget(0, 1, 0), Protocol.AS_BUILT));
  }

  @Test
  void fleetsThatLostAnAnswerWithTheSameFingerprintHaveTheSameFuture() {
    assertSameFutures(new LeaseModel(2, 1, 1, new Budget(0, 1, 1), Protocol.AS_BUILT));
  }

  private static void assertSameFutures(LeaseModel model) {
    Map<Fingerprint, Set<Future>> futures = new HashMap<>();
    Set<Fleet> known = new HashSet<>(Set.of(model.initial()));
    Deque<Fleet> waiting = new ArrayDeque<>(known);
    while (!waiting.isEmpty()) {
      Fleet fleet = waiting.remove();
      Set<Future> future = futureOf(model, fleet);
      Set<Future> others = futures.putIfAbsent(model.fingerprintOf(fleet), future);
      assertThat(others == null || others.equals(future)).as("future of %s", fleet).isTrue();
      model.stepsFrom(fleet).stream()
          .map(Model.Step::after)
          .filter(known::add)
          .forEach(waiting::add);
    }
    assertThat(known).hasSizeGreaterThan(2 * futures.size());
  }

  private static Set<Future> futureOf(LeaseModel model, Fleet fleet) {
    return model.stepsFrom(fleet).stream()
        .map(step -> new Future(step.action().kind(), model.fingerprintOf(step.after())))
        .collect(Collectors.toSet());
  }
}
