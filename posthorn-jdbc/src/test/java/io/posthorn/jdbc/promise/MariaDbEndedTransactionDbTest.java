/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.servers.MySqlServer;

class MariaDbEndedTransactionDbTest extends EndedTransactionContract {
  @Override
  protected TestDatabase openDatabase() {
    return TestDatabase.mySql(MySqlServer.sharedMariaDb(), config -> {});
  }
}
