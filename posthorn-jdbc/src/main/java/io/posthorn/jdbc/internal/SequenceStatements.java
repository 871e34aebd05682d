/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Raises the sequence after it was set back. One relay at a time does it: all lock the rows of the
 * partitions first, in the order in which others lock them.
 */
final class SequenceStatements {
  /** A row with a higher seq was put there manually, and would leave nothing to draw. */
  private static final long MAX_RAISED = Long.MAX_VALUE / 2;

  private final StoreFailures failures;
  private final Fence fence;
  private final String lockPartitions;
  private final IndexedQuery highest;
  private final Optional<String> raise;
  private final String resetFloors;
  private final String byHand;

  SequenceStatements(Dialect dialect, Tables tables) {
    this.failures = new StoreFailures(dialect);
    this.fence = new Fence(dialect, tables);
    this.lockPartitions =
        "SELECT partition_no FROM %s ORDER BY partition_no FOR UPDATE"
            .formatted(tables.partition());
    // Served by the primary keys: the last row of each partition, and of each handler in it.
    this.highest =
        IndexedQuery.inOrderAmongOthers(
            dialect,
            """
            SELECT GREATEST(
                     (SELECT max(floor_seq) FROM %1$s),
                     (SELECT max(r.seq) FROM %1$s p CROSS JOIN LATERAL
                       (SELECT m.seq FROM %2$s m WHERE m.partition_no = p.partition_no ORDER BY m.seq DESC LIMIT 1) r),
                     (SELECT max(r.seq) FROM %3$s f CROSS JOIN LATERAL
                       (SELECT d.seq FROM %4$s d WHERE d.partition_no = f.partition_no AND d.handler = f.handler ORDER BY d.seq DESC LIMIT 1) r),
                     (SELECT max(seq) FROM %5$s),
                     (SELECT max(seq) FROM %6$s))
            """
                .formatted(
                    tables.partition(),
                    tables.message(),
                    tables.deferredFloor(),
                    tables.deferred(),
                    tables.dead(),
                    tables.history()));
    this.raise = dialect.raise(tables.seq());
    this.resetFloors = "UPDATE %s SET floor_seq = 0".formatted(tables.partition());
    this.byHand = "Run SELECT setval('" + tables.seq() + "', %d), or grant UPDATE on it";
  }

  /** Raises it by so much above all that is stored, if it is not above that. */
  void raise(Connection connection, RelayIdentity me, long by) throws SQLException {
    if (raise.isEmpty() || !fence.lockMe(connection, me)) {
      return;
    }
    try (PreparedStatement lock = connection.prepareStatement(lockPartitions)) {
      lock.execute();
    }
    long stored = highest(connection);
    if (stored <= 0 || stored > MAX_RAISED) {
      return;
    }
    if (isRaised(connection, raise.get(), stored, stored + by)) {
      try (PreparedStatement reset = connection.prepareStatement(resetFloors)) {
        reset.executeUpdate();
      }
    }
  }

  private long highest(Connection connection) throws SQLException {
    try (PreparedStatement read = highest.prepare(connection);
        ResultSet row = highest.execute(read)) {
      row.next();
      return row.getLong(1);
    }
  }

  /** False if it is above what is stored: another relay was quicker. */
  private boolean isRaised(Connection connection, String sql, long stored, long target)
      throws SQLException {
    try (PreparedStatement raise = connection.prepareStatement(sql)) {
      raise.setLong(1, stored);
      raise.setLong(2, target);
      try (ResultSet row = raise.executeQuery()) {
        return row.next();
      }
    } catch (SQLException e) {
      StoreException.Kind kind = failures.kindOf(e);
      if (kind == StoreException.Kind.UNAVAILABLE) {
        throw e;
      }
      throw new StoreException(
          kind,
          byHand.formatted(target) + ": " + StoreFailures.firstLine(e),
          StoreFailures.scrubbed(e));
    }
  }
}
