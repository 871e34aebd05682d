/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.servers.MySqlServer;

class MariaDbStatementCountDbTest extends StatementCountContract {
  @Override
  protected TestDatabase newDatabase() {
    return TestDatabase.mySql(MySqlServer.sharedMariaDb(), config -> {});
  }

  /** It looks a second time. */
  @Override
  protected long queriesOfARead() {
    return 2;
  }
}
