/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What every {@link Transaction} keeps for those who publish in it. Whoever drives the transaction
 * calls {@link #prepareCommit}, then {@link #committed} or {@link #rolledBack}. One thread only.
 *
 * @since 0.1
 */
public abstract class TransactionCallbacks implements Transaction {
  private static final Logger LOGGER = LoggerSource.of("io.posthorn.transaction");

  private final Map<Object, Object> attachments = new HashMap<>();
  private final List<Runnable> beforeCommit = new ArrayList<>();
  private final List<Runnable> afterCommit = new ArrayList<>();
  private final List<Runnable> afterRollback = new ArrayList<>();
  private final List<SavepointListener> savepointListeners = new ArrayList<>();
  private boolean open = true;
  private boolean late; // the actions before the commit have been run

  /** For subclasses. */
  protected TransactionCallbacks() {}

  @Override
  public final boolean acceptsWrites() {
    return open;
  }

  @Override
  public final <T> T attachment(Object key, Class<T> type, Supplier<T> create) {
    Object found = attachments.get(key);
    if (found == null) {
      found = create.get();
      attachments.put(key, found);
    }
    return type.cast(found);
  }

  @Override
  public final void beforeCommit(Runnable action) {
    beforeCommit.add(action);
    if (late) {
      runBeforeCommit();
    }
  }

  @Override
  public final void afterCommit(Runnable action) {
    afterCommit.add(action);
  }

  @Override
  public final void afterRollback(Runnable action) {
    afterRollback.add(action);
  }

  @Override
  public final void onSavepoint(SavepointListener listener) {
    savepointListeners.add(listener);
  }

  /**
   * Runs what is to be done before the commit, also what such actions register in turn. What is
   * registered later still is run at once.
   */
  public final void runBeforeCommit() {
    late = false;
    while (!beforeCommit.isEmpty()) {
      beforeActions();
      List<Runnable> actions = List.copyOf(beforeCommit);
      beforeCommit.clear();
      actions.forEach(Runnable::run);
    }
    late = true;
  }

  /** Whether something that was to be done before the commit has not been done. */
  protected final boolean hasActionsLeft() {
    return !beforeCommit.isEmpty();
  }

  /** Called before actions that must come just before the commit. */
  protected void beforeActions() {}

  /** As {@link #runBeforeCommit}, and then nothing more goes in. */
  public final void prepareCommit() {
    runBeforeCommit();
    open = false;
  }

  /** Nothing more goes in: a roll-back has begun. */
  public final void end() {
    open = false;
  }

  /** The transaction was committed. */
  public final void committed() {
    open = false;
    afterCommit.forEach(TransactionCallbacks::guarded);
  }

  /** The transaction was rolled back. */
  public final void rolledBack() {
    open = false;
    afterRollback.forEach(TransactionCallbacks::guarded);
  }

  /** Tells all who want to know what happened to a savepoint. */
  public final void tellSavepoint(Consumer<SavepointListener> event) {
    savepointListeners.forEach(event);
  }

  private static void guarded(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException e) {
      LOGGER.log(
          Level.WARNING,
          "an action after the end of a transaction failed; the transaction is not affected",
          e);
    }
  }
}
