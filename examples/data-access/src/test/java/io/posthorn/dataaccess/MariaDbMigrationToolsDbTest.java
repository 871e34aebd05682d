/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dataaccess;

import com.zaxxer.hikari.HikariDataSource;

class MariaDbMigrationToolsDbTest extends MigrationToolsContract {
  @Override
  HikariDataSource database() {
    return Products.mariaDb();
  }

  @Override
  String folder() {
    return "mariadb";
  }
}
