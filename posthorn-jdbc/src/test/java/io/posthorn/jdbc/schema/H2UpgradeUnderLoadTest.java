/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import io.posthorn.jdbc.fixture.TestDatabase;

class H2UpgradeUnderLoadTest extends UpgradeUnderLoadContract {
  @Override
  TestDatabase newDatabase() {
    return TestDatabase.h2(";LOCK_TIMEOUT=10000", config -> config.setMinimumIdle(1));
  }
}
