/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.spi.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * A data source that knows how many of its connections are kept here, so that a pool that has none
 * left can be told with the arithmetic. Safe to share between threads.
 */
final class ConnectionSource {
  private final DataSource dataSource;
  private final AtomicInteger kept = new AtomicInteger();

  ConnectionSource(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /**
   * @param undone what to say if there is none: {@code Nothing purged}
   * @throws StoreException of the kind {@link StoreException.Kind#UNAVAILABLE}, whatever the reason
   */
  Connection connection(String undone) {
    try {
      return dataSource.getConnection();
    } catch (SQLException e) {
      throw StoreFailures.noConnection(undone, e, dataSource, kept.get());
    }
  }

  /** A connection that was taken is kept from now on. */
  void keep() {
    kept.incrementAndGet();
  }

  /** A connection that was kept is given back. */
  void giveBack() {
    kept.decrementAndGet();
  }
}
