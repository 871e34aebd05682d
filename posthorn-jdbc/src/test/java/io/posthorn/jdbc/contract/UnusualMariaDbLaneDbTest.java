/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.contract;

import io.posthorn.test.contract.LaneContract;
import io.posthorn.test.contract.StoreUnderTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("long")
class UnusualMariaDbLaneDbTest extends LaneContract {
  @RegisterExtension
  static final ContractDatabase DATABASE = ContractDatabase.unusualMariaDbReadCommitted();

  @Override
  protected StoreUnderTest open() {
    return DATABASE.emptied();
  }
}
