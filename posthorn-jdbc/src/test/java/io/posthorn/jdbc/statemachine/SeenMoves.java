/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.statemachine;

import io.posthorn.jdbc.statemachine.RowLog.Change;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Derives moves from what one transaction after the other did to the rows of each message. A row
 * that is deleted goes where the transaction puts the message for the same handler, or it is gone.
 */
final class SeenMoves {
  /** Rows that are meant for all handlers. */
  private static final String ALL = "*";

  private record Step(UUID id, long transaction) {}

  private record Kept(UUID id, String handler) {}

  /** A row that came or went at a place in the log. */
  private record Place(String handler, State state, long number) {
    boolean isMarker() {
      return state == State.BLOCKED;
    }

    boolean leadsTo(Place other) {
      return !isMarker() && (handler.equals(ALL) || handler.equals(other.handler));
    }
  }

  private final Map<Move, List<Change>> moves = new TreeMap<>();
  private final Set<Kept> history = new HashSet<>();

  private SeenMoves() {}

  /** Each move, with the changes that were the first to show it. */
  static Map<Move, List<Change>> in(List<Change> log) {
    Map<Step, List<Change>> steps = new LinkedHashMap<>();
    for (Change change : log) {
      Step step = new Step(change.id(), change.transaction());
      steps.computeIfAbsent(step, any -> new ArrayList<>()).add(change);
    }
    SeenMoves seen = new SeenMoves();
    steps.values().forEach(seen::derive);
    return seen.moves;
  }

  private void derive(List<Change> changes) {
    List<Place> left = new ArrayList<>();
    List<Place> entered = new ArrayList<>();
    for (Change change : changes) {
      if (change.staysAsItWas()) {
        continue;
      }
      if (change.before() != null) {
        left.add(new Place(change.handler(), change.before().state(), change.number()));
      }
      if (change.after() != null) {
        entered.add(new Place(change.handler(), change.after().state(), change.number()));
      }
    }
    Set<Place> wentOn = new HashSet<>();
    for (Place to : entered) {
      Optional<Place> from = origin(to, left, entered);
      from.ifPresent(wentOn::add);
      State state = from.map(Place::state).orElseGet(() -> outside(changes, to));
      note(new Move(state, to.state), changes);
    }
    left.stream()
        .filter(place -> !wentOn.contains(place))
        .forEach(place -> note(new Move(place.state, State.GONE), changes));
    remember(changes);
  }

  /** Where a message comes from within its transaction: the latest place that it left. */
  private static Optional<Place> origin(Place to, List<Place> left, List<Place> entered) {
    return left.stream()
        .filter(place -> place.leadsTo(to) && enteredAt(place, entered) < to.number)
        .max(Comparator.comparingLong(place -> enteredAt(place, entered)));
  }

  /** When it was entered in this transaction; 0 if before it. */
  private static long enteredAt(Place left, List<Place> entered) {
    return entered.stream()
        .filter(place -> place.handler.equals(left.handler) && place.state == left.state)
        .mapToLong(Place::number)
        .filter(number -> number < left.number)
        .max()
        .orElse(0);
  }

  /** A row that no other made room for: a copy of what is in the history, or new. */
  private State outside(List<Change> changes, Place to) {
    return history.contains(new Kept(changes.get(0).id(), to.handler)) ? State.HISTORY : State.NEW;
  }

  private void note(Move move, List<Change> changes) {
    moves.putIfAbsent(move, List.copyOf(changes));
  }

  private void remember(List<Change> changes) {
    for (Change change : changes) {
      if (change.table().equals("outbox_history")) {
        Kept kept = new Kept(change.id(), change.handler());
        if (change.after() != null) {
          history.add(kept);
        } else {
          history.remove(kept);
        }
      }
    }
  }
}
