/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dataaccess;

import com.zaxxer.hikari.HikariDataSource;

class PostgresMigrationToolsDbTest extends MigrationToolsContract {
  @Override
  HikariDataSource database() {
    return Products.postgres();
  }

  @Override
  String folder() {
    return "postgresql";
  }
}
