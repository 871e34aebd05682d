/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.contract;

import io.posthorn.jdbc.fixture.ShippedScripts;
import io.posthorn.test.contract.HistoryContract;
import io.posthorn.test.contract.StoreUnderTest;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The history table in partitions by day. */
class PartitionedHistoryDbTest extends HistoryContract {
  @RegisterExtension
  static final ContractDatabase DATABASE =
      ContractDatabase.postgres18()
          .after(ShippedScripts.read("postgresql/partitioned_history.sql"));

  @Override
  protected StoreUnderTest open() {
    return DATABASE.emptied();
  }
}
