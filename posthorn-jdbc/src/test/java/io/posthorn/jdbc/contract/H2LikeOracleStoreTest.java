/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.contract;

import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.test.contract.StoreUnderTest;
import org.junit.jupiter.api.extension.RegisterExtension;

class H2LikeOracleStoreTest extends EveryStoreContract {
  /** Truths are numbers there, and columns for texts that may be empty can be NULL. */
  private static final String COLUMNS =
      """
      ALTER TABLE outbox_deferred ALTER COLUMN in_lane SET DATA TYPE smallint;
      ALTER TABLE outbox_heartbeat ALTER COLUMN retired SET DATA TYPE smallint;
      ALTER TABLE outbox_instance ALTER COLUMN handlers DROP NOT NULL;
      ALTER TABLE outbox_gone ALTER COLUMN types DROP NOT NULL
      """;

  @RegisterExtension
  static final ContractDatabase DATABASE =
      ContractDatabase.of(() -> TestDatabase.h2InMode("Oracle", H2LikeOracle::new)).after(COLUMNS);

  @Override
  StoreUnderTest emptied() {
    return DATABASE.emptied();
  }
}
