/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.servers.PostgresServer;

class Postgres18SqlQueriesDbTest extends SqlQueriesContract {
  @Override
  TestDatabase newDatabase() {
    return TestDatabase.postgres(PostgresServer.shared(), config -> config.setMinimumIdle(1));
  }

  @Override
  boolean zeroIsText() {
    return false;
  }
}
