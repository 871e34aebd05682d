/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import io.posthorn.verification.database.UrlDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps trying to connect while the database is away. HikariCP waits twice as long after each
 * connection that it could not open, 5 s in the end, which would be taken for a wait of the relay.
 */
final class PromptDataSource extends UrlDataSource {
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

  private final long patience;

  PromptDataSource(String url, Duration patience) {
    super(url);
    this.patience = patience.toNanos();
  }

  @Override
  public Connection getConnection() throws SQLException {
    long end = System.nanoTime() + patience;
    while (true) {
      try {
        return super.getConnection();
      } catch (SQLException e) {
        if (System.nanoTime() - end >= 0 || Thread.currentThread().isInterrupted()) {
          throw e;
        }
        LockSupport.parkNanos(this, PAUSE);
      }
    }
  }
}
