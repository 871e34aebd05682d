/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import io.posthorn.jdbc.fixture.OldestPostgres;
import io.posthorn.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("long")
class OldestPostgresSqlQueriesDbTest extends SqlQueriesContract {
  @Override
  TestDatabase newDatabase() {
    return TestDatabase.postgres(OldestPostgres.shared(), config -> config.setMinimumIdle(1));
  }

  @Override
  boolean zeroIsText() {
    return false;
  }
}
