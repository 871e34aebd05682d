/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import io.posthorn.jdbc.fixture.ExternalServer;
import io.posthorn.jdbc.fixture.TestDatabase;
import java.sql.Connection;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

@EnabledIfEnvironmentVariable(
    named = ExternalServer.ORACLE_URL,
    matches = ".+",
    disabledReason = ExternalServer.NO_ORACLE)
class OracleGateDbTest extends GateContract {
  @Override
  protected TestDatabase newDatabase() {
    return TestDatabase.oracle(config -> {});
  }

  @Override
  protected int snapshotIsolation() {
    return Connection.TRANSACTION_SERIALIZABLE; // it has no other one
  }
}
