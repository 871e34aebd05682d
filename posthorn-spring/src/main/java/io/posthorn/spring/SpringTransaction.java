/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.TransactionCallbacks;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** One transaction of Spring's, from the first message to its end. One thread only. */
final class SpringTransaction extends TransactionCallbacks implements TransactionSynchronization {
  /** There if JPA is. */
  static final String JPA_HOLDER = "org.springframework.orm.jpa.EntityManagerHolder";

  static final boolean WITH_JPA =
      ClassUtils.isPresent(JPA_HOLDER, SpringTransaction.class.getClassLoader());

  private static final Logger LOGGER = LoggerSource.of("io.posthorn.spring");

  private final SpringTransactions key;
  private final @Nullable Supplier<Connection> connection;
  private boolean completing;

  /**
   * @param connection null if nothing was published before the commit began
   */
  SpringTransaction(SpringTransactions key, @Nullable Supplier<Connection> connection) {
    this.key = key;
    this.connection = connection;
  }

  @Override
  public <T> T unwrap(Class<T> resource) {
    if (resource == Connection.class && connection != null) {
      return resource.cast(connection.get());
    }
    throw new IllegalArgumentException(
        "a transaction of Spring's has a java.sql.Connection, no " + resource.getName());
  }

  /** None with JPA: changes that are still in a persistence context would not be taken back. */
  @Override
  public Optional<Savepoint> setSavepoint() {
    return holder()
        .filter(holder -> !(WITH_JPA && PersistenceContexts.areThere()))
        .map(holder -> SpringSavepoint.set(holder.getConnection()));
  }

  /** Not with JPA, which may have released its connection, nor with JTA. */
  @Override
  public boolean keepsResourcesToItsEnd() {
    return holder().isPresent() && !(WITH_JPA && PersistenceContexts.areThere());
  }

  @Override
  public Optional<Duration> timeLeft() {
    return holder()
        .filter(ResourceHolderSupport::hasTimeout)
        .map(holder -> Duration.ofMillis(holder.getTimeToLiveInMillis()));
  }

  /** Empty with JTA. */
  private Optional<ConnectionHolder> holder() {
    return connection instanceof JtaConnection
        ? Optional.empty()
        : Optional.ofNullable(TransactionSynchronizationManager.getResource(key.dataSource()))
            .map(ConnectionHolder.class::cast);
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
    if (!key.willRollBack()) { // otherwise Spring shall say so, and no failed statement
      runBeforeCommit();
    }
  }

  /** Writes what callbacks before the commit have published after our own. */
  void writeRest() {
    if (!hasActionsLeft() || key.willRollBack()) {
      return;
    }
    if (connection instanceof JtaConnection jta) {
      jta.forLast(this::runBeforeCommit);
    } else {
      runBeforeCommit();
    }
  }

  @Override
  public void beforeCompletion() {
    completing = true;
  }

  /** Whether it may have ended. Until then it is bound to its thread only while it is active. */
  boolean isCompleting() {
    return completing || !acceptsWrites();
  }

  @Override
  public void afterCompletion(int status) {
    TransactionSynchronizationManager.unbindResourceIfPossible(key);
    if (status == STATUS_COMMITTED) {
      if (hasActionsLeft()) {
        LOGGER.log(
            Level.ERROR,
            "messages that were published while their transaction was committing are lost: its transaction manager is not known to SpringTransactions.on(\u2026)");
      }
      committed();
    } else {
      rolledBack();
    }
  }
}
