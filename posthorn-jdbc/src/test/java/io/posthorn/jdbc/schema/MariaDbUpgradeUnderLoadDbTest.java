/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.servers.MySqlServer;

class MariaDbUpgradeUnderLoadDbTest extends UpgradeUnderLoadContract {
  @Override
  TestDatabase newDatabase() {
    return TestDatabase.mySql(MySqlServer.sharedMariaDb(), config -> config.setMinimumIdle(1));
  }
}
