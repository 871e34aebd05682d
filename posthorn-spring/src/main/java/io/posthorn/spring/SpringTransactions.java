/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static java.util.Objects.requireNonNull;

import io.posthorn.PublishException;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.Transaction;
import io.posthorn.spi.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Spring's transactions on one data source, whoever drives them: {@code @Transactional} or a
 * template, over JDBC, JPA, JTA, or anything else that lets Spring have its connection. Safe to
 * share between threads.
 *
 * <p>Messages are written just before the commit, and after the changes of a JPA persistence
 * context: whoever waits for another writer's row then also draws its numbers after that one.
 *
 * @since 0.1
 */
public final class SpringTransactions implements Transactions {
  /** There if JTA is. */
  static final String JTA_TRANSACTION = "jakarta.transaction.UserTransaction";

  private static final boolean WITH_JTA =
      ClassUtils.isPresent(JTA_TRANSACTION, SpringTransactions.class.getClassLoader());

  private static final TransactionDefinition NEW =
      new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

  private final DataSource dataSource;
  private final PlatformTransactionManager manager;
  private final @Nullable JtaTransactions jta;

  private SpringTransactions(DataSource dataSource, PlatformTransactionManager manager) {
    this.dataSource = dataSource;
    this.manager = manager;
    this.jta = WITH_JTA ? JtaTransactions.of(manager) : null;
  }

  /**
   * @param dataSource as the transaction manager has it
   * @param manager of transactions on the data source
   */
  public static SpringTransactions on(DataSource dataSource, PlatformTransactionManager manager) {
    return on(dataSource, manager, List.of(manager));
  }

  /**
   * @param dataSource as the transaction managers have it
   * @param manager begins the transactions of transactional handlers
   * @param all managers that may drive transactions on the data source
   */
  public static SpringTransactions on(
      DataSource dataSource,
      PlatformTransactionManager manager,
      Collection<? extends TransactionManager> all) {
    SpringTransactions transactions =
        new SpringTransactions(
            unwrapped(requireNonNull(dataSource, "dataSource")),
            requireNonNull(manager, "manager"));
    for (TransactionManager one : all) {
      if (one instanceof ConfigurableTransactionManager configurable) {
        configurable.addListener(transactions.new LastCall());
        configurable.addListener(Nesting.WATCH);
      }
    }
    return transactions;
  }

  private static DataSource unwrapped(DataSource dataSource) {
    return dataSource instanceof TransactionAwareDataSourceProxy proxy
        ? requireNonNull(proxy.getTargetDataSource(), "targetDataSource")
        : dataSource;
  }

  /** As transaction managers have it. */
  DataSource dataSource() {
    return dataSource;
  }

  @Override
  public Optional<String> problemWith(Object resource) {
    if (resource == dataSource) {
      return Optional.empty();
    }
    return Optional.of(
        resource instanceof TransactionAwareDataSourceProxy proxy && unwrapped(proxy) == dataSource
            ? "the store was given a TransactionAwareDataSourceProxy, with which its own commits could commit transactions of its callers; pass the data source behind the proxy to the store"
            : Transactions.DIFFERENT_DATA_SOURCES);
  }

  @Override
  public boolean isThreadInTransaction() {
    return TransactionSynchronizationManager.isActualTransactionActive();
  }

  @Override
  public void abandon() {
    if (jta != null && jta.areActive()) {
      jta.rollBack();
    }
    LeftoverTransaction.rollBack();
  }

  @Override
  public Transaction current() {
    if (Nesting.isActive()) {
      throw new PublishException(
          "No message published: the transaction is nested in another without a savepoint, so that its roll-back would not take the message back. Use REQUIRED or REQUIRES_NEW instead of NESTED");
    }
    SpringTransaction bound = bound();
    return bound == null ? first() : bound;
  }

  @Override
  public Optional<Transaction> active() {
    return TransactionSynchronizationManager.isActualTransactionActive()
        ? Optional.of(current())
        : Optional.empty();
  }

  /** The current transaction, of which nothing is known yet. */
  private SpringTransaction first() {
    checkThatItCanWrite();
    if (jta == null || !jta.areActive()) {
      return bind(new SpringTransaction(this, connectionHolder()::getConnection));
    }
    SpringTransaction transaction = new SpringTransaction(this, jtaConnection());
    jta.beforeCommit(transaction::writeRest);
    return bind(transaction);
  }

  /**
   * Null if the current transaction has none. While callbacks run after the end of a transaction,
   * that of the ended one is still there, and a new transaction that they begin must not get it. To
   * ask for the callbacks of the transaction would sort them each time, and there may be many.
   */
  private @Nullable SpringTransaction bound() {
    return TransactionSynchronizationManager.isSynchronizationActive()
            && TransactionSynchronizationManager.getResource(this)
                instanceof SpringTransaction bound
            && (!bound.isCompleting()
                || TransactionSynchronizationManager.getSynchronizations().contains(bound))
        ? bound
        : null;
  }

  private SpringTransaction bind(SpringTransaction transaction) {
    TransactionSynchronizationManager.unbindResourceIfPossible(this);
    TransactionSynchronizationManager.bindResource(this, transaction);
    TransactionSynchronizationManager.registerSynchronization(transaction);
    return transaction;
  }

  private static void checkThatItCanWrite() {
    boolean active = TransactionSynchronizationManager.isActualTransactionActive();
    boolean callbacks = TransactionSynchronizationManager.isSynchronizationActive();
    if (active && !callbacks) {
      throw new PublishException(
          "No message published: the transaction has ended. Publish before the commit, or in a transaction of its own (REQUIRES_NEW)");
    }
    if (!active) {
      throw new PublishException(
          "No message published: there is no active transaction. Annotate the calling method with @Transactional (and call it from another bean), or use a TransactionTemplate");
    }
    if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
      throw new PublishException(
          "No message published: the transaction is read-only. Remove readOnly = true, or publish in a transaction of its own (REQUIRES_NEW)");
    }
  }

  private ConnectionHolder connectionHolder() {
    if (TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
        && isInTransaction(holder.getConnection())) {
      return holder;
    }
    throw new PublishException(
        "No message published: the active transaction is on another data source than this outbox, or its manager does not tell Spring its connection. Use the outbox of that data source, or a transaction manager of this one");
  }

  private JtaConnection jtaConnection() {
    JtaConnection connection = new JtaConnection(dataSource);
    if (!connection.takesPart()) {
      throw new PublishException(
          "No message published: the outbox's data source takes no part in JTA transactions, its connection would commit for itself. Use an XA data source that is known to the JTA transaction manager, or a transaction manager of this data source alone");
    }
    return connection;
  }

  /**
   * Spring also keeps a connection for the time of a transaction on another data source, and lets
   * it commit each statement for itself.
   */
  private static boolean isInTransaction(Connection connection) {
    try {
      return !connection.getAutoCommit();
    } catch (SQLException e) {
      throw StoreException.unavailable("No message published: " + e.getMessage(), e);
    }
  }

  /** Whether the current transaction can only be rolled back. Managers but JTA's know it before. */
  boolean willRollBack() {
    return jta != null && jta.areMarkedForRollback();
  }

  @Override
  public boolean canBegin() {
    return true;
  }

  @Override
  public <T> T inTransaction(Callable<T> work) throws Exception {
    TransactionStatus status;
    try {
      status = manager.getTransaction(NEW);
    } catch (CannotCreateTransactionException e) {
      throw StoreException.unavailable("No transaction begun: " + e.getMessage(), e);
    }
    T result;
    try {
      result = work.call();
    } catch (Throwable e) {
      rollbackAfter(status, e);
      throw e;
    }
    manager.commit(status);
    return result;
  }

  /** Later failures are kept with the first one. */
  private void rollbackAfter(TransactionStatus status, Throwable failure) {
    try {
      manager.rollback(status);
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  /**
   * Comes after all callbacks before the commit: writes what was published by them, since one that
   * is registered then is not called any more, and sees to it that nothing is accepted later.
   */
  private final class LastCall implements TransactionExecutionListener {
    @Override
    public void beforeCommit(TransactionExecution execution) {
      if (!execution.isNewTransaction()
          || execution.isNested()
          || !TransactionSynchronizationManager.isSynchronizationActive()) {
        return;
      }
      SpringTransaction bound = bound();
      if (bound == null) {
        bind(new SpringTransaction(SpringTransactions.this, null)).end();
      } else {
        bound.writeRest();
        bound.end();
      }
    }
  }
}
