/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** All statements of one inbox, once its database is known. Safe to share between threads. */
public final class InboxStatements {
  private final DataSource dataSource;
  private final Tables tables;
  private final Optional<Boolean> create;
  private final Optional<Dialect> given;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile @Nullable Opened opened; // written under lock

  private record Opened(
      InboxRows rows, String identity, PooledTransactions transactions, StoreFailures failures) {}

  /**
   * @param create whether a missing table is created; empty: as the dialect says
   */
  public InboxStatements(
      DataSource dataSource, Tables tables, Optional<Boolean> create, Optional<Dialect> given) {
    this.dataSource = dataSource;
    this.tables = tables;
    this.create = create;
    this.given = given;
  }

  /** Finds the dialect, creates the table if asked for, and checks it. */
  public void open() {
    lock.lock();
    try (Connection connection = dataSource.getConnection()) {
      Dialect dialect = given.isPresent() ? given.get() : Dialects.of(connection);
      InboxSchema schema = new InboxSchema(dialect, tables);
      if (create.orElse(dialect.createsTablesByDefault())) {
        schema.create(connection);
      }
      schema.check(connection);
      opened =
          new Opened(
              new InboxRows(dialect, tables.message()),
              schema.identity(connection),
              new PooledTransactions(new ConnectionSource(dataSource), dialect),
              new StoreFailures(dialect));
    } catch (SQLException e) {
      throw StoreFailures.noConnection("The inbox was not opened", e, dataSource);
    } finally {
      lock.unlock();
    }
  }

  private Opened opened() {
    Opened ready = opened;
    if (ready == null) {
      open();
      ready = opened;
    }
    if (ready == null) {
      throw new IllegalStateException("the inbox was not opened");
    }
    return ready;
  }

  /** Those that were not there. */
  public Set<String> add(Transaction transaction, String consumer, Collection<String> messageIds) {
    Opened ready = opened();
    try {
      return ready.rows.add(TimedConnection.of(transaction), consumer, sorted(messageIds));
    } catch (SQLException e) {
      throw ready.failures.of("Messages not recorded, the transaction must roll back", e);
    }
  }

  public void remove(Transaction transaction, String consumer, Collection<String> messageIds) {
    Opened ready = opened();
    try {
      ready.rows.remove(TimedConnection.of(transaction), consumer, sorted(messageIds));
    } catch (SQLException e) {
      throw ready.failures.of("Messages still recorded, the transaction must roll back", e);
    }
  }

  /** In one order, so that two transactions with the same messages do not wait for each other. */
  private static List<String> sorted(Collection<String> messageIds) {
    return List.copyOf(new TreeSet<>(messageIds));
  }

  public String identity() {
    return opened().identity;
  }

  public int purge(Duration olderThan, int limit) {
    Opened ready = opened();
    return ready.transactions.call(
        "Nothing purged",
        connection -> ready.rows.purge(TimedConnection.unlimited(connection), olderThan, limit));
  }
}
