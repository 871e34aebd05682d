/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.Exploration.Violation;
import io.posthorn.model.Model.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Every state that can be reached from the first one, breadth first, so that the story of a
 * violation is a shortest one. Invariants are checked on every step; when they all hold, the goal
 * is checked by going backwards through the whole graph.
 *
 * <p>Only fingerprints are kept, and whole states while they wait for their turn; a story is told
 * by walking its way again.
 */
final class StateSpace<S, A> {

  private static final int MAX_STATES = 4_000_000;

  private final Model<S, A> model;
  private final Goal<S, A> goal;
  private final StateIndex index = new StateIndex();
  private final Deque<S> waiting = new ArrayDeque<>();

  /** The state from which each state was first reached. */
  private final Ints parents = new Ints();

  /** Where the successors of each state begin in {@link #successors}. */
  private final Ints firstSuccessors = new Ints();

  private final Ints successors = new Ints();
  private final BitSet hopeful = new BitSet();
  private final BitSet owed = new BitSet();
  private long steps;

  private StateSpace(Model<S, A> model, Goal<S, A> goal) {
    this.model = model;
    this.goal = goal;
  }

  static <S, A, I extends Invariant<S, A>> Exploration explore(
      Model<S, A> model, List<I> invariants, Goal<S, A> goal) {
    StateSpace<S, A> space = new StateSpace<>(model, goal);
    Optional<Violation> violation = space.firstBroken(invariants).or(space::firstStuck);
    return new Exploration(space.index.size(), space.steps, violation);
  }

  private Optional<Violation> firstBroken(List<? extends Invariant<S, A>> invariants) {
    reach(model.initial(), 0);
    for (int number = 0; !waiting.isEmpty(); number++) {
      S before = waiting.remove();
      firstSuccessors.add(successors.size());
      for (Step<S, A> step : model.stepsFrom(before)) {
        steps++;
        for (Invariant<S, A> invariant : invariants) {
          if (!holds(invariant, before, step)) {
            return Optional.of(new Violation(invariant, storyOf(number, invariant)));
          }
        }
        int after = reach(step.after(), number);
        if (goal.mayCountOn(step.action())) {
          successors.add(after);
        }
      }
    }
    firstSuccessors.add(successors.size());
    return Optional.empty();
  }

  private static <S, A> boolean holds(Invariant<S, A> invariant, S before, Step<S, A> step) {
    return invariant.holds(before, step.action(), step.after());
  }

  private int reach(S state, int parent) {
    int number = index.numberOf(model.fingerprintOf(state));
    if (number == parents.size()) {
      parents.add(parent);
      waiting.add(state);
      hopeful.set(number, goal.reachedIn(state));
      owed.set(number, goal.owedIn(state));
    }
    if (number == MAX_STATES) {
      throw new IllegalStateException("more than " + MAX_STATES + " states: bound the model");
    }
    return number;
  }

  /** Sweeps from the last state to the first: successors mostly have higher numbers. */
  private Optional<Violation> firstStuck() {
    boolean changed = true;
    while (changed) {
      changed = false;
      for (int number = index.size() - 1; number >= 0; number--) {
        if (!hopeful.get(number) && hasHopefulSuccessor(number)) {
          hopeful.set(number);
          changed = true;
        }
      }
    }
    owed.andNot(hopeful);
    return owed.stream().mapToObj(number -> new Violation(goal, storyOf(number))).findFirst();
  }

  private boolean hasHopefulSuccessor(int number) {
    for (int i = firstSuccessors.get(number); i < firstSuccessors.get(number + 1); i++) {
      if (hopeful.get(successors.get(i))) {
        return true;
      }
    }
    return false;
  }

  private List<String> storyOf(int last) {
    List<String> story = new ArrayList<>();
    walkTo(last, story);
    return story;
  }

  private List<String> storyOf(int last, Invariant<S, A> broken) {
    List<String> story = new ArrayList<>();
    S before = walkTo(last, story);
    tell(firstStep(before, step -> !holds(broken, before, step)), story);
    return story;
  }

  private S walkTo(int last, List<String> story) {
    Deque<Integer> way = new ArrayDeque<>();
    for (int number = last; number != 0; number = parents.get(number)) {
      way.push(number);
    }
    S state = model.initial();
    for (int next : way) {
      state = tell(firstStep(state, step -> leadsTo(next, step)), story);
    }
    return state;
  }

  private S tell(Step<S, A> step, List<String> story) {
    story.add(step.action().toString());
    return step.after();
  }

  private boolean leadsTo(int number, Step<S, A> step) {
    return index.numberOf(model.fingerprintOf(step.after())) == number;
  }

  private Step<S, A> firstStep(S before, Predicate<Step<S, A>> wanted) {
    return model.stepsFrom(before).stream().filter(wanted).findFirst().orElseThrow();
  }
}
