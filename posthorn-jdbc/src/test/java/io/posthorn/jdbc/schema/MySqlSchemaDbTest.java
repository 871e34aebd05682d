/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.servers.MySqlServer;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;

@Tag("long")
@EnabledIf("io.posthorn.servers.MySqlServer#mySqlRuns")
class MySqlSchemaDbTest extends SchemaContract {
  @Override
  TestDatabase newDatabase() {
    return TestDatabase.mySql(MySqlServer.sharedMySql(), config -> config.setMinimumIdle(1));
  }

  /** Names of databases follow the case, where those of files do. */
  @Override
  String inAnotherCase(String schema) {
    return schema.toLowerCase(Locale.ROOT);
  }

  @Override
  String literal(UUID id) {
    return "x'" + id.toString().replace("-", "") + "'";
  }
}
