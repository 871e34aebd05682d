/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import io.posthorn.spi.Transaction;
import io.posthorn.spi.Transaction.SavepointListener;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * What was handled in one transaction, told to cache and listeners after its commit, without what a
 * roll-back to a savepoint has taken back. One thread only.
 */
final class Handled implements SavepointListener {
  private final Known known;
  private final Listeners listeners;
  private final List<Messages> all = new ArrayList<>();
  private final IdentityHashMap<Object, Integer> sizes = new IdentityHashMap<>(); // by savepoint

  private record Messages(String consumer, Set<String> ids) {}

  private Handled(Known known, Listeners listeners) {
    this.known = known;
    this.listeners = listeners;
  }

  /**
   * @param inbox whose messages they are
   */
  static Handled in(Transaction transaction, Object inbox, Known known, Listeners listeners) {
    return transaction.attachment(
        inbox,
        Handled.class,
        () -> {
          Handled handled = new Handled(known, listeners);
          transaction.onSavepoint(handled);
          transaction.afterCommit(handled::committed);
          transaction.afterRollback(() -> handled.failedFrom(0));
          return handled;
        });
  }

  void add(String consumer, Set<String> ids) {
    all.add(new Messages(consumer, Set.copyOf(ids)));
  }

  @Override
  public void savepointSet(Object savepoint) {
    sizes.put(savepoint, all.size());
  }

  /** One that is not known was set before the first message was handled. */
  @Override
  public void rolledBackTo(Object savepoint) {
    failedFrom(sizes.getOrDefault(savepoint, 0));
  }

  private void failedFrom(int first) {
    List<Messages> takenBack = all.subList(Math.min(first, all.size()), all.size());
    takenBack.forEach(
        messages -> listeners.tell(messages.consumer, messages.ids.size(), InboxListener::failed));
    takenBack.clear();
  }

  private void committed() {
    for (Messages messages : all) {
      known.remember(messages.consumer, messages.ids);
      listeners.tell(messages.consumer, messages.ids.size(), InboxListener::consumed);
    }
  }
}
