/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import io.posthorn.jdbc.fixture.OldestPostgres;
import io.posthorn.jdbc.fixture.TestDatabase;

class OldestPostgresSchemaDbTest extends SchemaContract {
  @Override
  TestDatabase newDatabase() {
    return TestDatabase.postgres(OldestPostgres.shared(), config -> config.setMinimumIdle(1));
  }
}
