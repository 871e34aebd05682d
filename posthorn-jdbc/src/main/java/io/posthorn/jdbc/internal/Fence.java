/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.RelayIdentity;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Keeps a relay from being expelled while it changes rows, and from changing rows afterwards. The
 * row that it locks is never updated; heartbeats are written elsewhere and do not wait for it.
 */
final class Fence {
  private final String lockMe;

  Fence(Dialect dialect, Tables tables) {
    this.lockMe =
        dialect.lockingQuery(
            "1", tables.instance(), "WHERE id = ? AND incarnation = ?", dialect.keyShareLock());
  }

  /**
   * Locks the relay's own row against deletion until the end of the transaction; false if it is
   * gone.
   */
  boolean lockMe(Connection connection, RelayIdentity me) throws SQLException {
    try (PreparedStatement lock = connection.prepareStatement(lockMe)) {
      lock.setString(1, me.id());
      lock.setLong(2, me.incarnation());
      try (ResultSet row = lock.executeQuery()) {
        return row.next();
      }
    }
  }
}
