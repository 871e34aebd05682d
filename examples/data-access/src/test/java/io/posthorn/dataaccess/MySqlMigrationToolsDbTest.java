/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dataaccess;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;

@Tag("long")
@EnabledIf("io.posthorn.servers.MySqlServer#mySqlRuns")
class MySqlMigrationToolsDbTest extends MigrationToolsContract {
  @Override
  HikariDataSource database() {
    return Products.mySql();
  }

  @Override
  String folder() {
    return "mysql";
  }
}
