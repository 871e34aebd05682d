/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.publish;

import io.posthorn.spi.Envelope;
import io.posthorn.spi.Transaction;
import java.util.ArrayList;
import java.util.List;

/**
 * The messages of one transaction that hooks are told of at its end: those that stand, and those
 * that a roll-back to a savepoint took back. Used by the thread that runs the transaction only.
 */
final class PublishedMessages implements Transaction.SavepointListener {
  /** How many messages stood when a savepoint was set. */
  private record Mark(Object savepoint, int standing) {}

  private final Hooks hooks;
  private final List<Envelope> standing = new ArrayList<>(2);
  private final List<Envelope> takenBack = new ArrayList<>(0);
  private final List<Mark> marks = new ArrayList<>(0);

  PublishedMessages(Transaction transaction, Hooks hooks) {
    this.hooks = hooks;
    transaction.onSavepoint(this);
    transaction.afterCommit(this::committed);
    transaction.afterRollback(this::rolledBack);
  }

  void add(List<Envelope> messages) {
    standing.addAll(messages);
  }

  private void committed() {
    hooks.committed(List.copyOf(standing));
    hooks.rolledBack(List.copyOf(takenBack));
  }

  private void rolledBack() {
    takenBack.addAll(standing);
    hooks.rolledBack(List.copyOf(takenBack));
  }

  @Override
  public void savepointSet(Object savepoint) {
    marks.add(new Mark(savepoint, standing.size()));
  }

  @Override
  public void rolledBackTo(Object savepoint) {
    int last = marks.size() - 1;
    while (last >= 0 && !marks.get(last).savepoint.equals(savepoint)) {
      last--;
    }
    // One that is not known was set before the first publish, so before everything in here.
    int from = last < 0 ? 0 : marks.get(last).standing;
    marks.subList(last + 1, marks.size()).clear();
    List<Envelope> gone = standing.subList(from, standing.size());
    takenBack.addAll(gone);
    gone.clear();
  }
}
