/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc;

import static java.util.Objects.requireNonNull;

import io.posthorn.ConfigurationException;
import io.posthorn.jdbc.internal.JdbcStatements;
import io.posthorn.jdbc.internal.Tables;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.Transaction;
import io.posthorn.spi.Transactions;
import io.posthorn.spi.WakeChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Keeps messages in tables of a relational database. Safe to share between threads. Several
 * outboxes can share a data source under different prefixes.
 *
 * <p>A relay keeps three connections for itself (leases, reads, settles): size the pool for that,
 * or give the relay {@linkplain Builder#relayConnections connections outside of it}.
 *
 * @since 0.1
 */
public final class JdbcMessageStore implements MessageStore {
  private final DataSource dataSource;
  private final JdbcStatements statements;
  private final OutboxSchema schema;

  private JdbcMessageStore(Builder builder) {
    this.dataSource = builder.dataSource;
    Tables tables = new Tables(builder.tablePrefix, builder.schema, builder.tables);
    Optional<Dialect> dialect = Optional.ofNullable(builder.dialect);
    this.schema = new OutboxSchema(dataSource, dialect, tables, builder.partitions);
    this.statements =
        new JdbcStatements(
            builder.dataSource,
            builder.relayDataSource(),
            builder.relayConnections == null ? builder.relayDataSource() : builder.relayConnections,
            tables,
            builder.creation(),
            dialect);
  }

  /** A store with the default settings. */
  public static JdbcMessageStore on(DataSource dataSource) {
    return builder(dataSource).build();
  }

  public static Builder builder(DataSource dataSource) {
    return new Builder(dataSource);
  }

  @Override
  public int open() {
    return statements.open();
  }

  /** Its tables: as SQL, checked, created and upgraded. */
  public OutboxSchema schema() {
    return schema;
  }

  @Override
  public Optional<String> problemWith(Transactions transactions) {
    return transactions.problemWith(dataSource);
  }

  @Override
  public void append(Transaction transaction, List<NewMessage> messages) {
    statements.append(transaction, messages);
  }

  @Override
  public void appendForLogOnly(Transaction transaction, List<NewMessage> messages) {
    statements.appendForLogOnly(transaction, messages);
  }

  @Override
  public Optional<UUID> claim(
      Transaction transaction, String key, UUID messageId, Duration retention) {
    return statements.claim(transaction, key, messageId, retention);
  }

  @Override
  public int purgeIdempotency(Duration olderThan, int limit) {
    return statements.purgeIdempotency(olderThan, limit);
  }

  @Override
  public int purgeReady(Duration olderThan, int limit) {
    return statements.purgeReady(olderThan, limit);
  }

  @Override
  public int purgeHistory(Duration olderThan, int limit) {
    return statements.purgeHistory(olderThan, limit);
  }

  @Override
  public AdminStore admin() {
    return statements.admin();
  }

  @Override
  public RelayStore relay(Duration lease) {
    return statements.relay(lease);
  }

  @Override
  public TransactionMark mark(Transaction transaction) {
    return statements.mark(transaction);
  }

  @Override
  public Settled settle(
      Transaction transaction, RelayIdentity me, Settlement settlement, Duration limit) {
    return statements.settle(transaction, me, settlement, limit);
  }

  @Override
  public StoreException.Kind kindOf(Throwable failure) {
    return statements.kindOf(failure);
  }

  @Override
  public Optional<WakeChannel> wakeChannel() {
    return statements.wakeChannel();
  }

  /**
   * The settings of a store, {@code posthorn.store.*} in configuration. Not safe to share between
   * threads.
   */
  public static final class Builder {
    private final DataSource dataSource;
    private @Nullable DataSource relayDataSource;
    private @Nullable DataSource relayConnections;
    private @Nullable Dialect dialect;
    private @Nullable String schema;
    private @Nullable Boolean createTables;
    private String tablePrefix = "outbox_";
    private final Map<String, String> tables = new HashMap<>();
    private int partitions = 64;

    private Builder(DataSource dataSource) {
      this.dataSource = requireNonNull(dataSource, "dataSource");
    }

    /**
     * A data source for all but transactions of the application: the relay, purges, and what
     * operators ask for.
     */
    public Builder relayDataSource(DataSource relayDataSource) {
      this.relayDataSource = requireNonNull(relayDataSource, "relayDataSource");
      return this;
    }

    private DataSource relayDataSource() {
      return relayDataSource == null ? dataSource : relayDataSource;
    }

    /**
     * Where the three connections come from that a relay keeps. It need not be a pool: they are
     * taken once, and again when one of them breaks. On PostgreSQL they are called {@code
     * posthorn-<relay>} in the list of sessions.
     *
     * <p>It must not wait for a server without end, or the relay stands still until it is
     * restarted. PostgreSQL's driver does unless {@code loginTimeout} and {@code socketTimeout} are
     * set; once a connection is here, its waits are bounded.
     */
    public Builder relayConnections(DataSource relayConnections) {
      this.relayConnections = requireNonNull(relayConnections, "relayConnections");
      return this;
    }

    /** Sets the dialect instead of choosing it by the database's product name. */
    public Builder dialect(Dialect dialect) {
      this.dialect = requireNonNull(dialect, "dialect");
      return this;
    }

    /** What the names of the tables begin with: {@code outbox_} by default. */
    public Builder tablePrefix(String tablePrefix) {
      this.tablePrefix = requireNonNull(tablePrefix, "tablePrefix");
      return this;
    }

    /**
     * The full name of one table, sequence or view, without the schema. Indexes and checks keep the
     * prefix.
     *
     * @param table what follows the prefix otherwise: {@code message} for {@code outbox_message}
     */
    public Builder table(String table, String name) {
      tables.put(requireNonNull(table, "table"), requireNonNull(name, "name"));
      return this;
    }

    /** The schema of the tables; by default the one that connections come with. */
    public Builder schema(String schema) {
      this.schema = requireNonNull(schema, "schema");
      return this;
    }

    /**
     * Whether tables that are missing are created, and older ones upgraded, by {@link
     * JdbcMessageStore#open}. By default on H2 only.
     */
    public Builder createTables(boolean createTables) {
      this.createTables = createTables;
      return this;
    }

    /**
     * How many partitions created tables get, 64 by default. Tables that exist keep what they have.
     */
    public Builder partitions(int partitions) {
      this.partitions = partitions;
      return this;
    }

    /**
     * Checks the settings; touches no database.
     *
     * @throws ConfigurationException naming every problem
     */
    public JdbcMessageStore build() {
      List<String> problems = new ArrayList<>(Tables.problems("store", tablePrefix, schema));
      problems.addAll(Tables.problems("store", tablePrefix, tables));
      if (partitions < 1 || partitions > 1024) {
        problems.add(
            "store.partitions was %d but must be between 1 and 1024".formatted(partitions));
      }
      if (!problems.isEmpty()) {
        throw new ConfigurationException(problems);
      }
      return new JdbcMessageStore(this);
    }

    private JdbcStatements.Creation creation() {
      return new JdbcStatements.Creation(Optional.ofNullable(createTables), partitions);
    }
  }
}
