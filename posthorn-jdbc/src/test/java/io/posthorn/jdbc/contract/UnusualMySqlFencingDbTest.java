/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.contract;

import io.posthorn.test.contract.FencingContract;
import io.posthorn.test.contract.StoreUnderTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("long")
@EnabledIf("io.posthorn.servers.MySqlServer#mySqlRuns")
class UnusualMySqlFencingDbTest extends FencingContract {
  @RegisterExtension static final ContractDatabase DATABASE = ContractDatabase.unusualMySql();

  @Override
  protected StoreUnderTest open() {
    return DATABASE.emptied();
  }
}
