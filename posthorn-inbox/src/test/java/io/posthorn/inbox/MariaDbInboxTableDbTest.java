/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

import io.posthorn.servers.MySqlServer;

class MariaDbInboxTableDbTest extends InboxTableContract {
  @Override
  TestDatabase database() {
    return TestDatabase.mySql(MySqlServer.sharedMariaDb());
  }
}
