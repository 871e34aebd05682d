/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import io.posthorn.servers.MySqlServer;

class MariaDbFrozenCommitCrashTest extends FrozenCommitContract {
  @Override
  String freshDatabase() {
    return MySqlServer.sharedMariaDb().freshDatabase();
  }
}
