/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import io.posthorn.servers.MySqlServer;
import org.junit.jupiter.api.Tag;

@Tag("long")
class MariaDbPollingDbTest extends PollingContract {
  @Override
  String freshDatabase() {
    return MySqlServer.sharedMariaDb().freshDatabase();
  }
}
