/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Runs an INSERT that copies rows for each of many: in a batch, where the driver can. */
final class Copies {
  private final boolean batched;

  Copies(Dialect dialect) {
    this.batched = dialect.batchesCopies();
  }

  /** Once all parameters are bound. */
  void add(PreparedStatement copy) throws SQLException {
    if (batched) {
      copy.addBatch();
    } else {
      copy.executeUpdate();
    }
  }

  void run(PreparedStatement copy) throws SQLException {
    if (batched) {
      copy.executeBatch();
    }
  }
}
