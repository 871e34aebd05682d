/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import io.posthorn.jdbc.fixture.TestDatabase;

class H2UpgradeTest extends UpgradeContract {
  @Override
  TestDatabase newDatabase() {
    return TestDatabase.h2("", config -> config.setMinimumIdle(1));
  }
}
