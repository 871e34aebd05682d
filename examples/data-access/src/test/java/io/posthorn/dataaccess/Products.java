/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dataaccess;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.servers.MySqlServer;
import io.posthorn.servers.PostgresServer;

/** Databases of their own, on the servers that the tests of this JVM share. */
final class Products {
  private Products() {}

  static HikariDataSource postgres() {
    return pool(PostgresServer.shared().freshDatabase());
  }

  static HikariDataSource mariaDb() {
    return pool(MySqlServer.sharedMariaDb().freshDatabase());
  }

  static HikariDataSource mySql() {
    return pool(MySqlServer.sharedMySql().freshDatabase());
  }

  private static HikariDataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(10);
    config.setMinimumIdle(1);
    return new HikariDataSource(config);
  }
}
