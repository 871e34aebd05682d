/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.contract;

import io.posthorn.jdbc.fixture.ExternalServer;
import io.posthorn.test.contract.StoreUnderTest;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.RegisterExtension;

@EnabledIfEnvironmentVariable(
    named = ExternalServer.SQL_SERVER_URL,
    matches = ".+",
    disabledReason = ExternalServer.NO_SQL_SERVER)
class SqlServerStoreDbTest extends EveryStoreContract {
  @RegisterExtension static final ContractDatabase DATABASE = ContractDatabase.sqlServer();

  @Override
  StoreUnderTest emptied() {
    return DATABASE.emptied();
  }
}
