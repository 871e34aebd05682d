/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.spi.TransactionCallbacks;
import java.sql.Connection;
import java.util.Optional;

/**
 * One transaction on one connection, from its first statement to its commit or roll-back. One
 * thread only.
 */
final class JdbcTransaction extends TransactionCallbacks {
  private final Connection connection;

  JdbcTransaction(Connection connection) {
    this.connection = connection;
  }

  @Override
  public Optional<Savepoint> setSavepoint() {
    return Optional.of(JdbcSavepoint.set(this, connection));
  }

  @Override
  public boolean keepsResourcesToItsEnd() {
    return true;
  }

  @Override
  public <T> T unwrap(Class<T> resource) {
    if (resource.isInstance(connection)) {
      return resource.cast(connection);
    }
    throw new IllegalArgumentException(
        "a JDBC transaction has a java.sql.Connection, no " + resource.getName());
  }
}
