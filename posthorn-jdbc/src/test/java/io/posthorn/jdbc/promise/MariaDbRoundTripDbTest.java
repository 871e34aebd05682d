/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.servers.MySqlServer;
import java.util.Map;

class MariaDbRoundTripDbTest extends RoundTripContract {
  @Override
  protected TestDatabase newDatabase() {
    return TestDatabase.mySql(MySqlServer.sharedMariaDb(), config -> {});
  }

  @Override
  protected Map<String, Long> expected() {
    return Map.of(
        "publish", 1L,
        "read", 3L,
        "read nothing", 1L,
        "settle delivered", 4L,
        "settle failed", 204L);
  }
}
