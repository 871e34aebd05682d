/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.posthorn.model.Exploration.Violation;
import io.posthorn.model.Fingerprint.Packer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The checker itself, on two clerks who add one to a number on a board: read, then write. */
class StateSpaceTest {

  private static final int IDLE = 0;
  private static final int DONE = 4;

  /** A clerk is idle, done, or remembers one more than he read. */
  private record Board(int number, int first, int second) {}

  private record Clerks() implements Model<Board, String> {

    @Override
    public Board initial() {
      return new Board(1, IDLE, IDLE);
    }

    @Override
    public List<Step<Board, String>> stepsFrom(Board board) {
      List<Step<Board, String>> steps = new ArrayList<>();
      int number = board.number();
      switch (board.first()) {
        case IDLE ->
            steps.add(new Step<>("first reads", new Board(number, number + 1, board.second())));
        case DONE -> {}
        default ->
            steps.add(new Step<>("first writes", new Board(board.first(), DONE, board.second())));
      }
      switch (board.second()) {
        case IDLE ->
            steps.add(new Step<>("second reads", new Board(number, board.first(), number + 1)));
        case DONE -> {}
        default ->
            steps.add(new Step<>("second writes", new Board(board.second(), board.first(), DONE)));
      }
      return steps;
    }

    @Override
    public Fingerprint fingerprintOf(Board board) {
      return new Fingerprint(board.number(), board.first(), board.second());
    }
  }

  private record Reach(int number) implements Goal<Board, String> {

    @Override
    public boolean reachedIn(Board board) {
      return board.number() == number;
    }

    @Override
    public boolean mayCountOn(String action) {
      return true;
    }

    @Override
    public boolean owedIn(Board board) {
      return true;
    }
  }

  @Test
  void everyStateIsReachedOnce() {
    Exploration found = explore((before, action, after) -> true, new Reach(3));

    // Nobody done: 4. One done and the other idle, with an old number, with a new one: 6. Ends: 2.
    assertThat(found.states()).isEqualTo(12);
    assertThat(found.steps()).isEqualTo(14);
  }

  @Test
  void brokenInvariantIsToldByAShortestStory() {
    Invariant<Board, String> noLostUpdate =
        (before, action, after) -> !action.endsWith("writes") || after.number() > before.number();

    Exploration found = explore(noLostUpdate, new Reach(2));

    assertThat(found.violation()).map(Violation::rule).contains(noLostUpdate);
    assertThat(found.violation().orElseThrow().story())
        .hasSize(4)
        .containsOnlyOnce("first reads", "second reads", "first writes", "second writes");
  }

  @Test
  void stateFromWhichTheGoalIsOutOfReachIsFound() {
    Exploration found = explore((before, action, after) -> true, new Reach(3));

    assertThat(found.violation()).map(Violation::rule).contains(new Reach(3));
    assertThat(found.violation().orElseThrow().story())
        .containsExactly("first reads", "second reads");
  }

  @Test
  void numberThatDoesNotFitIntoAFingerprintIsRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Packer().put(4, 2));
    assertThatIllegalArgumentException().isThrownBy(() -> new Packer().put(0, 60).put(0, 5));
  }

  private static Exploration explore(Invariant<Board, String> invariant, Goal<Board, String> goal) {
    return StateSpace.explore(new Clerks(), List.of(invariant), goal);
  }
}
