/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import io.posthorn.jdbc.fixture.TestDatabase;

class PostgresUpgradeUnderLoadDbTest extends UpgradeUnderLoadContract {
  @Override
  TestDatabase newDatabase() {
    return TestDatabase.postgres();
  }
}
