/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.spi.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * The connection of a JTA transaction. The manager has none to show: whatever connection the data
 * source hands out takes part. One thread only.
 */
final class JtaConnection implements Supplier<Connection> {
  private final DataSource dataSource;
  private @Nullable Connection own;

  JtaConnection(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** The one that Spring keeps for the transaction, as for a {@code JdbcTemplate}. */
  @Override
  public Connection get() {
    if (own != null) {
      return own;
    }
    try {
      // Asked for each time: Spring lets go of it while the transaction is suspended.
      Connection kept = DataSourceUtils.doGetConnection(dataSource);
      DataSourceUtils.doReleaseConnection(kept, dataSource); // only the claim: it stays open
      return kept;
    } catch (SQLException e) {
      throw unavailable(e);
    }
  }

  /** Whether the data source lets its connections join: they may do so with the first statement. */
  boolean takesPart() {
    Connection connection = get();
    try {
      if (connection.getAutoCommit()) {
        connection.createStatement().close();
      }
      return !connection.getAutoCommit();
    } catch (SQLException e) {
      throw unavailable(e);
    }
  }

  /** Lets work have a connection of its own: before the commit Spring closes the one it kept. */
  void forLast(Runnable work) {
    try (Connection last = dataSource.getConnection()) {
      own = last;
      work.run();
    } catch (SQLException e) {
      throw unavailable(e);
    } finally {
      own = null;
    }
  }

  private static StoreException unavailable(SQLException cause) {
    return StoreException.unavailable("No connection for the outbox: " + cause.getMessage(), cause);
  }
}
