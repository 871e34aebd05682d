/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.servers.MySqlServer;
import org.junit.jupiter.api.Tag;

@Tag("long")
class MariaDbExactlyOnceOnThreadsDbTest extends ExactlyOnceOnThreadsContract {
  @Override
  protected TestDatabase openDatabase() {
    return TestDatabase.mySql(MySqlServer.sharedMariaDb(), config -> {});
  }
}
