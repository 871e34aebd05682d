/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import io.posthorn.jdbc.fixture.TestDatabase;
import java.util.Map;

class PostgresRoundTripDbTest extends RoundTripContract {
  @Override
  protected TestDatabase newDatabase() {
    return TestDatabase.postgres();
  }

  @Override
  protected Map<String, Long> expected() {
    return Map.of(
        "publish", 1L, "read", 1L, "settle delivered", 1L, "settle failed", 6L, "read nothing", 1L);
  }
}
