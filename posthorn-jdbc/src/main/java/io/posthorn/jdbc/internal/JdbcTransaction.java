/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.spi.Transaction;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One transaction on one connection, from its first statement to its commit or roll-back. One
 * thread only.
 */
final class JdbcTransaction implements Transaction {
  private static final Logger LOGGER = System.getLogger("io.posthorn.jdbc");

  private final Connection connection;
  private final Map<Object, Object> attachments = new HashMap<>();
  private final List<Runnable> beforeCommit = new ArrayList<>();
  private final List<Runnable> afterCommit = new ArrayList<>();
  private final List<Runnable> afterRollback = new ArrayList<>();
  private final List<SavepointListener> savepointListeners = new ArrayList<>();
  private boolean open = true;

  JdbcTransaction(Connection connection) {
    this.connection = connection;
  }

  @Override
  public boolean acceptsWrites() {
    return open;
  }

  @Override
  public <T> T unwrap(Class<T> resource) {
    if (resource.isInstance(connection)) {
      return resource.cast(connection);
    }
    throw new IllegalArgumentException(
        "a JDBC transaction has a java.sql.Connection, no " + resource.getName());
  }

  @Override
  public <T> T attachment(Object key, Class<T> type, Supplier<T> create) {
    Object found = attachments.get(key);
    if (found == null) {
      found = create.get();
      attachments.put(key, found);
    }
    return type.cast(found);
  }

  @Override
  public void beforeCommit(Runnable action) {
    beforeCommit.add(action);
  }

  @Override
  public void afterCommit(Runnable action) {
    afterCommit.add(action);
  }

  @Override
  public void afterRollback(Runnable action) {
    afterRollback.add(action);
  }

  @Override
  public void onSavepoint(SavepointListener listener) {
    savepointListeners.add(listener);
  }

  /**
   * Runs what is to be done before the commit, also what such actions register in turn; then
   * nothing more goes in.
   */
  void prepareCommit() {
    for (int i = 0; i < beforeCommit.size(); i++) {
      beforeCommit.get(i).run();
    }
    open = false;
  }

  void end() {
    open = false;
  }

  void committed() {
    afterCommit.forEach(JdbcTransaction::guarded);
  }

  void rolledBack() {
    afterRollback.forEach(JdbcTransaction::guarded);
  }

  void tellSavepoint(Consumer<SavepointListener> event) {
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
