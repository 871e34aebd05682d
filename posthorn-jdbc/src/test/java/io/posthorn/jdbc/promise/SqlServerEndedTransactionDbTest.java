/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import io.posthorn.jdbc.fixture.ExternalServer;
import io.posthorn.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

@EnabledIfEnvironmentVariable(
    named = ExternalServer.SQL_SERVER_URL,
    matches = ".+",
    disabledReason = ExternalServer.NO_SQL_SERVER)
class SqlServerEndedTransactionDbTest extends EndedTransactionContract {
  @Override
  protected TestDatabase openDatabase() {
    return TestDatabase.sqlServer(config -> {});
  }
}
