/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What the exploration of a state space found.
 *
 * @param states how many different states were reached
 * @param violation the first broken rule, with the shortest way to it; empty if every rule held
 */
record Exploration(int states, long steps, Optional<Violation> violation) {

  /** A broken rule and the shortest story that breaks it, one line for each step. */
  record Violation(Object rule, List<String> story) {

    Violation {
      story = List.copyOf(story);
    }

    @Override
    public String toString() {
      return IntStream.range(0, story.size())
          .mapToObj(i -> "%3d. %s".formatted(i + 1, story.get(i)))
          .collect(Collectors.joining("\n", rule + " is broken:\n", ""));
    }
  }

  @Override
  public String toString() {
    return "%,d states, %,d steps%s"
        .formatted(states, steps, violation.map(found -> "; " + found).orElse(""));
  }
}
