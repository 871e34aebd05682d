/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import io.posthorn.jdbc.fixture.TestDatabase;
import java.util.Map;

class H2RoundTripTest extends RoundTripContract {
  @Override
  protected TestDatabase newDatabase() {
    return TestDatabase.h2();
  }

  @Override
  protected Map<String, Long> expected() {
    return Map.of(
        "publish", 1L,
        "read", 65L,
        "read nothing", 1L,
        "settle delivered", 3L,
        "settle failed", 153L);
  }
}
