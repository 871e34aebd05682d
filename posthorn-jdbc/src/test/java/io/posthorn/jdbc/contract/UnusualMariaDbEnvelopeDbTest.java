/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.contract;

import io.posthorn.test.contract.EnvelopeContract;
import io.posthorn.test.contract.StoreUnderTest;
import org.junit.jupiter.api.extension.RegisterExtension;

class UnusualMariaDbEnvelopeDbTest extends EnvelopeContract {
  @RegisterExtension static final ContractDatabase DATABASE = ContractDatabase.unusualMariaDb();

  @Override
  protected StoreUnderTest open() {
    return DATABASE.emptied();
  }
}
