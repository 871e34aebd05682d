/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** As those of other libraries: drives connections itself, and lets Spring have them. */
@SuppressWarnings("serial") // Serializable by its superclass only
final class OwnTransactionManager extends AbstractPlatformTransactionManager {
  private final DataSource dataSource;

  OwnTransactionManager(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** What Spring hands back for each step. */
  private static final class Work {
    private ConnectionHolder holder;
  }

  private interface Step {
    void run(Connection connection) throws SQLException;
  }

  private static void run(Object work, Step step) {
    try {
      step.run(((Work) work).holder.getConnection());
    } catch (SQLException e) {
      throw new TransactionSystemException("failed", e);
    }
  }

  @Override
  protected Object doGetTransaction() {
    Work work = new Work();
    work.holder = (ConnectionHolder) TransactionSynchronizationManager.getResource(dataSource);
    return work;
  }

  @Override
  protected boolean isExistingTransaction(Object work) {
    return ((Work) work).holder != null;
  }

  @Override
  protected void doBegin(Object work, TransactionDefinition definition) {
    try {
      Connection connection = dataSource.getConnection();
      connection.setAutoCommit(false);
      ((Work) work).holder = new ConnectionHolder(connection);
    } catch (SQLException e) {
      throw new TransactionSystemException("failed", e);
    }
    TransactionSynchronizationManager.bindResource(dataSource, ((Work) work).holder);
  }

  @Override
  protected Object doSuspend(Object work) {
    ((Work) work).holder = null;
    return TransactionSynchronizationManager.unbindResource(dataSource);
  }

  @Override
  protected void doResume(Object work, Object suspended) {
    TransactionSynchronizationManager.bindResource(dataSource, suspended);
  }

  @Override
  protected void doCommit(DefaultTransactionStatus status) {
    run(status.getTransaction(), Connection::commit);
  }

  @Override
  protected void doRollback(DefaultTransactionStatus status) {
    run(status.getTransaction(), Connection::rollback);
  }

  @Override
  protected void doCleanupAfterCompletion(Object work) {
    TransactionSynchronizationManager.unbindResource(dataSource);
    run(work, Connection::close);
  }
}
