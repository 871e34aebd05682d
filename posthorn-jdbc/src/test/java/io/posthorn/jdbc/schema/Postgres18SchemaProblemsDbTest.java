/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.servers.PostgresServer;

class Postgres18SchemaProblemsDbTest extends SchemaProblemsContract {
  @Override
  TestDatabase newDatabase() {
    return TestDatabase.postgres(PostgresServer.shared(), config -> config.setMinimumIdle(1));
  }
}
