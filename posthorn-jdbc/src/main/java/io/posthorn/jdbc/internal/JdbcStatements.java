/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.ConfigurationException;
import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.Transaction;
import io.posthorn.spi.WakeChannel;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** All statements of one outbox, once its database is known. Safe to share between threads. */
public final class JdbcStatements {
  private static final System.Logger LOGGER = LoggerSource.of("io.posthorn.jdbc");
  private static final Duration SIGNAL_PATIENCE = Duration.ofSeconds(30);

  private final DataSource dataSource;
  private final ConnectionSource relayConnections;
  private final DataSource keptConnections;
  private final ConnectionSource keptSource;
  private final Tables tables;
  private final Creation creation;
  private final Optional<Dialect> given;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile @Nullable Opened opened; // written under lock

  /**
   * Whether and how tables are created.
   *
   * @param wanted empty: as the dialect says
   */
  public record Creation(Optional<Boolean> wanted, int partitions) {}

  private record Opened(
      Dialect dialect,
      AppendStatements appends,
      IdempotencyStatements keys,
      Fence fence,
      SettleStatements settles,
      PooledTransactions transactions,
      HistoryStatements history,
      AdminStore admin,
      int partitions) {}

  /**
   * @param relayDataSource for purges and what operators ask for
   * @param keptConnections for what a relay keeps
   */
  public JdbcStatements(
      DataSource dataSource,
      DataSource relayDataSource,
      DataSource keptConnections,
      Tables tables,
      Creation creation,
      Optional<Dialect> given) {
    this.dataSource = dataSource;
    this.relayConnections = new ConnectionSource(relayDataSource);
    this.keptConnections = keptConnections;
    this.keptSource =
        keptConnections == relayDataSource
            ? relayConnections
            : new ConnectionSource(keptConnections);
    this.tables = tables;
    this.creation = creation;
    this.given = given;
  }

  /**
   * Finds the dialect, checks the server, creates the tables if asked for, checks them; returns the
   * number of partitions.
   */
  public int open() {
    lock.lock();
    try (Connection connection = dataSource.getConnection()) {
      Dialect dialect = given.isPresent() ? given.get() : Dialects.of(connection);
      Schema schema = new Schema(dialect, tables);
      List<String> problems = dialect.problems(connection, tables.seq());
      if (!problems.isEmpty()) {
        throw new ConfigurationException(problems);
      }
      if (creation.wanted().orElse(dialect.createsTablesByDefault())) {
        schema.apply(connection, creation.partitions());
      }
      int partitions = schema.check(connection);
      dialect.warnings(connection).forEach(warning -> LOGGER.log(Level.WARNING, warning));
      opened = opened(dialect, partitions);
      return partitions;
    } catch (SQLException e) {
      throw StoreFailures.noConnection("The outbox was not opened", e, dataSource);
    } finally {
      lock.unlock();
    }
  }

  private Opened opened(Dialect dialect, int partitions) {
    PooledTransactions transactions = new PooledTransactions(relayConnections, dialect);
    return new Opened(
        dialect,
        new AppendStatements(dialect, tables),
        new IdempotencyStatements(dialect, tables),
        new Fence(dialect, tables),
        new SettleStatements(dialect, tables, Optional.empty()),
        transactions,
        new HistoryStatements(dialect, tables, Optional.empty()),
        new JdbcAdminStore(transactions, dialect, tables),
        partitions);
  }

  private Opened opened() {
    Opened ready = opened;
    if (ready == null) {
      open();
      ready = opened;
    }
    if (ready == null) {
      throw new IllegalStateException("the store was not opened");
    }
    return ready;
  }

  public void append(Transaction transaction, List<NewMessage> messages) {
    Opened ready = opened();
    write(ready, () -> ready.appends.append(transaction.unwrap(Connection.class), messages));
  }

  public void appendForLogOnly(Transaction transaction, List<NewMessage> messages) {
    Opened ready = opened();
    write(
        ready, () -> ready.appends.appendAndDelete(transaction.unwrap(Connection.class), messages));
  }

  /** Marks the beginning of a handler's transaction. */
  public MessageStore.TransactionMark mark(Transaction transaction) {
    Opened ready = opened();
    if (!ready.dialect.endsTransactionsUnnoticed()) {
      return () -> {};
    }
    Connection connection = transaction.unwrap(Connection.class);
    StoreFailures failures = new StoreFailures(ready.dialect);
    return ready
        .dialect
        .transactionNumber()
        .<MessageStore.TransactionMark>map(
            query -> DeliveryTransaction.begun(connection, query, failures))
        .orElseGet(() -> DeliverySavepoint.set(connection, failures));
  }

  /**
   * Stores one outcome in a handler's transaction, whose waits are bounded from before the fence is
   * locked to the end: a relay that is frozen in between must not keep the lock.
   */
  public MessageStore.Settled settle(
      Transaction transaction, RelayIdentity me, Settlement settlement, Duration limit) {
    Opened ready = opened();
    Connection connection = transaction.unwrap(Connection.class);
    Optional<SessionLimit> toUndo =
        SessionLimit.toUndo(ready.dialect.noTransactionLimit(), transaction, connection);
    try {
      SqlWork.run(connection, ready.dialect.transactionLimit(limit));
      MessageStore.Settled settled;
      try {
        settled = settle(ready, connection, me, settlement);
      } catch (SQLException | RuntimeException | Error e) {
        endLimitAfter(toUndo, e);
        throw e;
      }
      if (toUndo.isPresent()) {
        toUndo.get().end();
      }
      return settled;
    } catch (SQLException e) {
      throw new StoreFailures(ready.dialect).of("Outcome not stored with the handler's work", e);
    }
  }

  private static MessageStore.Settled settle(
      Opened ready, Connection connection, RelayIdentity me, Settlement settlement)
      throws SQLException {
    if (!ready.fence.lockMe(connection, me)) {
      return MessageStore.Settled.EXPELLED;
    }
    return ready.settles.settleOne(connection, settlement)
        ? MessageStore.Settled.DONE
        : MessageStore.Settled.GONE;
  }

  /** Later failures are kept with the first one. */
  private static void endLimitAfter(Optional<SessionLimit> limit, Throwable failure) {
    try {
      if (limit.isPresent()) {
        limit.get().end();
      }
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  /** What a failure says, whoever has wrapped it. */
  public StoreException.Kind kindOf(Throwable failure) {
    Opened ready = opened;
    return ready == null
        ? StoreException.kindOf(failure)
        : new StoreFailures(ready.dialect).kindOf(failure);
  }

  private interface Writing {
    void run() throws SQLException;
  }

  private static void write(Opened ready, Writing writing) {
    try {
      writing.run();
    } catch (SQLException e) {
      throw new StoreFailures(ready.dialect)
          .of("Messages not written, the transaction must roll back", e);
    }
  }

  public Optional<UUID> claim(
      Transaction transaction, String key, UUID messageId, Duration retention) {
    Opened ready = opened();
    try {
      return ready.keys.claim(transaction.unwrap(Connection.class), key, messageId, retention);
    } catch (SQLException e) {
      throw new StoreFailures(ready.dialect)
          .of("Idempotency key not taken, the transaction must roll back", e);
    }
  }

  public int purgeIdempotency(Duration olderThan, int limit) {
    Opened ready = opened();
    return ready.transactions.call(
        "No idempotency key purged", connection -> ready.keys.purge(connection, olderThan, limit));
  }

  public int purgeReady(Duration olderThan, int limit) {
    Opened ready = opened();
    return ready.transactions.call(
        "Nothing purged",
        connection -> {
          int purged = 0;
          for (int partition = 0; partition < ready.partitions && purged < limit; partition++) {
            purged += ready.appends.purge(connection, partition, olderThan, limit - purged);
          }
          return purged;
        });
  }

  public int purgeHistory(Duration olderThan, int limit) {
    Opened ready = opened();
    return ready.transactions.call(
        "Nothing purged", connection -> ready.history.purge(connection, olderThan, limit));
  }

  public AdminStore admin() {
    return opened().admin;
  }

  public RelayStore relay(Duration lease) {
    Pool.of(keptConnections).ifPresent(pool -> pool.require(JdbcRelayStore.CONNECTIONS));
    boolean outsidePools = keptSource != relayConnections;
    return new JdbcRelayStore(keptSource, outsidePools, opened().dialect, tables, lease);
  }

  public Optional<WakeChannel> wakeChannel() {
    Dialect dialect = opened().dialect;
    return dialect.hasNotifications()
        ? Optional.of(
            PostgresWakeChannel.owning(signals(dialect), signals(dialect), tables.channel()))
        : Optional.empty();
  }

  private HeldConnection signals(Dialect dialect) {
    return new HeldConnection(
        "signal", relayConnections, new StoreFailures(dialect), SIGNAL_PATIENCE);
  }
}
