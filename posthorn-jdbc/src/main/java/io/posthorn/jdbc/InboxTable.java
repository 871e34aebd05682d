/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc;

import static java.util.Objects.requireNonNull;

import io.posthorn.ConfigurationException;
import io.posthorn.jdbc.internal.InboxStatements;
import io.posthorn.jdbc.internal.Tables;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.Transaction;
import io.posthorn.spi.Transactions;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The table in which an inbox keeps what its consumers have handled. It needs no outbox beside it.
 * Safe to share between threads.
 *
 * @since 0.1
 */
public final class InboxTable {
  private final DataSource dataSource;
  private final InboxStatements statements;

  private InboxTable(Builder builder) {
    this.dataSource = builder.dataSource;
    this.statements =
        new InboxStatements(
            builder.dataSource,
            new Tables(builder.tablePrefix, builder.schema),
            Optional.ofNullable(builder.createTables),
            Optional.ofNullable(builder.dialect));
  }

  /** A table with the default settings. */
  public static InboxTable on(DataSource dataSource) {
    return builder(dataSource).build();
  }

  public static Builder builder(DataSource dataSource) {
    return new Builder(dataSource);
  }

  /**
   * Creates the table if that was asked for, and checks that it fits. Done at the first use
   * otherwise.
   *
   * @throws ConfigurationException if the table is missing or is another one
   * @throws StoreException if the database cannot be reached
   */
  public void open() {
    statements.open();
  }

  /** Says why these transactions cannot carry rows of this table, or nothing if they can. */
  public Optional<String> problemWith(Transactions transactions) {
    return transactions.problemWith(dataSource);
  }

  /**
   * Records messages in the caller's transaction, in one statement as far as the database can. If
   * another transaction has recorded one of them and is still under way, its end is waited for.
   *
   * @return the ids that the consumer had not recorded before
   * @throws StoreException if that could not be found out: the transaction must roll back
   */
  public Set<String> add(Transaction transaction, String consumer, Collection<String> messageIds) {
    return statements.add(transaction, consumer, messageIds);
  }

  /**
   * Takes back what was recorded in the same transaction.
   *
   * @throws StoreException if that failed: the transaction must roll back
   */
  public void remove(Transaction transaction, String consumer, Collection<String> messageIds) {
    statements.remove(transaction, consumer, messageIds);
  }

  /**
   * What tells this table from all others, of other prefixes, schemas, databases and servers; for
   * caches. A table that was restored is another one as far as the database can tell. Where it
   * can't, no two processes have the same.
   */
  public String identity() {
    return statements.identity();
  }

  /**
   * Deletes up to this many rows that were recorded longer ago than this, in a transaction of its
   * own. Several processes may do so at once.
   *
   * @return how many
   */
  public int purge(Duration olderThan, int limit) {
    return statements.purge(olderThan, limit);
  }

  /**
   * The settings of an inbox's table, {@code posthorn.inbox.*} in configuration. Not safe to share
   * between threads.
   */
  public static final class Builder {
    private final DataSource dataSource;
    private @Nullable Dialect dialect;
    private @Nullable String schema;
    private @Nullable Boolean createTables;
    private String tablePrefix = "inbox_";

    private Builder(DataSource dataSource) {
      this.dataSource = requireNonNull(dataSource, "dataSource");
    }

    /** Sets the dialect instead of choosing it by the database's product name. */
    public Builder dialect(Dialect dialect) {
      this.dialect = requireNonNull(dialect, "dialect");
      return this;
    }

    /** What the name of the table begins with: {@code inbox_} by default. */
    public Builder tablePrefix(String tablePrefix) {
      this.tablePrefix = requireNonNull(tablePrefix, "tablePrefix");
      return this;
    }

    /** The schema of the table; by default the one that connections come with. */
    public Builder schema(String schema) {
      this.schema = requireNonNull(schema, "schema");
      return this;
    }

    /** Whether the table is created if it is missing. By default on H2 only. */
    public Builder createTables(boolean createTables) {
      this.createTables = createTables;
      return this;
    }

    /**
     * Checks the settings; touches no database.
     *
     * @throws ConfigurationException naming every problem
     */
    public InboxTable build() {
      List<String> problems = Tables.problems("inbox", tablePrefix, schema);
      if (!problems.isEmpty()) {
        throw new ConfigurationException(problems);
      }
      return new InboxTable(this);
    }
  }
}
