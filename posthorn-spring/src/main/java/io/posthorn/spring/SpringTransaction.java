/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.spi.TransactionCallbacks;
import java.sql.Connection;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** One transaction of Spring's, from the first message to its end. One thread only. */
final class SpringTransaction extends TransactionCallbacks implements TransactionSynchronization {
  private static final boolean WITH_JPA =
      ClassUtils.isPresent(
          "org.springframework.orm.jpa.EntityManagerHolder",
          SpringTransaction.class.getClassLoader());

  private final SpringTransactions key;
  private final ConnectionHolder holder;

  SpringTransaction(SpringTransactions key, ConnectionHolder holder) {
    this.key = key;
    this.holder = holder;
  }

  @Override
  public <T> T unwrap(Class<T> resource) {
    if (resource == Connection.class) {
      return resource.cast(holder.getConnection());
    }
    throw new IllegalArgumentException(
        "a transaction of Spring's has a java.sql.Connection, no " + resource.getName());
  }

  /** Behind all others: what they publish goes into the same statement. */
  @Override
  public int getOrder() {
    return Ordered.LOWEST_PRECEDENCE;
  }

  @Override
  protected void beforeActions() {
    if (WITH_JPA) {
      PersistenceContexts.flush();
    }
  }

  @Override
  public void suspend() {
    TransactionSynchronizationManager.unbindResource(key);
  }

  @Override
  public void resume() {
    TransactionSynchronizationManager.bindResource(key, this);
  }

  @Override
  public void savepoint(Object savepoint) {
    tellSavepoint(listener -> listener.savepointSet(savepoint));
  }

  @Override
  public void savepointRollback(Object savepoint) {
    tellSavepoint(listener -> listener.rolledBackTo(savepoint));
  }

  @Override
  public void beforeCommit(boolean readOnly) {
    runBeforeCommit();
  }

  @Override
  public void afterCompletion(int status) {
    TransactionSynchronizationManager.unbindResourceIfPossible(key);
    if (status == STATUS_COMMITTED) {
      committed();
    } else {
      rolledBack();
    }
  }
}
