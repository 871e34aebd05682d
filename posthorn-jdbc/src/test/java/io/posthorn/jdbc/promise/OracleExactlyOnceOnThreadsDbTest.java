/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import io.posthorn.jdbc.fixture.ExternalServer;
import io.posthorn.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

@EnabledIfEnvironmentVariable(
    named = ExternalServer.ORACLE_URL,
    matches = ".+",
    disabledReason = ExternalServer.NO_ORACLE)
class OracleExactlyOnceOnThreadsDbTest extends ExactlyOnceOnThreadsContract {
  @Override
  protected TestDatabase openDatabase() {
    return TestDatabase.oracle(config -> {});
  }
}
