/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import io.posthorn.model.GateAction.Kind;
import io.posthorn.model.GateState.Publisher;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The floor of reads on databases that tell of locks only: docs/why/0017. Publishers enter a gate
 * before they draw and leave it after their commit shows; a reader looks at one gate after the
 * other, then reads the rows as one snapshot shows them.
 */
record GateModel(int publishers, int gates, GateRule rule) implements Model<GateState, GateAction> {

  @Override
  public GateState initial() {
    return new GateState(publishers, gates);
  }

  @Override
  public Fingerprint fingerprintOf(GateState state) {
    return state.fingerprint();
  }

  @Override
  public List<Step<GateState, GateAction>> stepsFrom(GateState state) {
    List<Step<GateState, GateAction>> steps = new ArrayList<>();
    for (int i = 0; i < state.publishers.length; i++) {
      publish(steps, state, i);
    }
    if (asks(state) && state.asked < gates) {
      add(steps, state, Kind.ASK, state.asked, this::ask);
    } else {
      add(steps, state, Kind.READ, 0, this::read);
    }
    return steps;
  }

  private boolean asks(GateState state) {
    return state.mark > 0 || rule == GateRule.GATES_SEEN_FREE_BEFORE_THE_MARK_COUNT;
  }

  private void publish(List<Step<GateState, GateAction>> steps, GateState state, int number) {
    Publisher now = state.publishers[number];
    boolean drawsFirst = rule == GateRule.SEQ_IS_DRAWN_BEFORE_THE_GATE;
    boolean leavesFirst = rule == GateRule.GATE_IS_LEFT_BEFORE_THE_COMMIT_SHOWS;
    if (!now.entered && (!drawsFirst || now.seq > 0)) {
      for (int gate = 0; gate < gates; gate++) {
        int chosen = gate;
        change(steps, state, Kind.ENTER, number, one -> enter(one, chosen));
      }
    }
    if (now.seq == 0 && (now.entered || drawsFirst)) {
      add(steps, state, Kind.DRAW, number, after -> after.publishers[number].seq = ++after.drawn);
    }
    boolean written = now.seq > 0 && now.entered;
    boolean open = written && !now.committed && !now.rolledBack;
    if (open && (now.left || !leavesFirst)) {
      change(steps, state, Kind.COMMIT, number, one -> one.committed = true);
    }
    if (open && !now.left) {
      change(steps, state, Kind.ROLL_BACK, number, one -> one.rolledBack = true);
    }
    boolean mayLeave = now.committed || now.rolledBack || leavesFirst;
    if (written && !now.left && mayLeave) {
      change(steps, state, Kind.LEAVE, number, GateModel::leave);
    }
  }

  private static void enter(Publisher publisher, int gate) {
    publisher.entered = true;
    publisher.gate = gate;
  }

  private static void leave(Publisher publisher) {
    publisher.left = true;
    publisher.gate = GateState.NO_GATE;
  }

  private void ask(GateState after) {
    int gate = after.asked++;
    if (after.isFree(gate)) {
      after.busy[gate] = false;
    } else if (rule == GateRule.GATES_SEEN_FREE_BEFORE_THE_MARK_COUNT && after.mark == 0) {
      after.busy[gate] = true;
    }
    if (rule == GateRule.FLOOR_MOVES_WITHOUT_ANOTHER_READ) {
      passMark(after);
    }
  }

  private void read(GateState after) {
    after.asked = 0;
    for (Publisher publisher : after.publishers) {
      if (publisher.committed && publisher.seq > after.floor) {
        publisher.read = true;
        after.highest = Math.max(after.highest, publisher.seq);
      }
    }
    passMark(after);
    if (after.mark == 0 && after.highest > after.floor) {
      after.mark = after.highest;
      if (rule != GateRule.GATES_SEEN_FREE_BEFORE_THE_MARK_COUNT) {
        Arrays.fill(after.busy, true);
      }
    }
  }

  private void passMark(GateState after) {
    int most = rule == GateRule.ONE_FREE_GATE_IS_ENOUGH ? gates - 1 : 0;
    if (after.mark > 0 && after.busyGates() <= most) {
      after.floor = after.mark;
      after.mark = 0;
    }
  }

  private static void change(
      List<Step<GateState, GateAction>> steps,
      GateState state,
      Kind kind,
      int number,
      Consumer<Publisher> change) {
    add(steps, state, kind, number, after -> change.accept(after.publishers[number]));
  }

  private static void add(
      List<Step<GateState, GateAction>> steps,
      GateState state,
      Kind kind,
      int number,
      Consumer<GateState> change) {
    GateState after = state.copy();
    change.accept(after);
    steps.add(new Step<>(new GateAction(kind, number), after));
  }
}
