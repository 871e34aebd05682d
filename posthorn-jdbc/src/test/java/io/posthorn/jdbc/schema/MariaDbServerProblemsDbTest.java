/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import io.posthorn.jdbc.fixture.UnusualServers;
import io.posthorn.servers.MySqlServer;

class MariaDbServerProblemsDbTest extends MySqlServerProblemsContract {
  @Override
  MySqlServer server() {
    return UnusualServers.mariaDb();
  }
}
