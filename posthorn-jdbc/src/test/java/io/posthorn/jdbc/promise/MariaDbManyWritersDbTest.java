/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import io.posthorn.servers.MySqlServer;

class MariaDbManyWritersDbTest extends ManyWritersContract {
  @Override
  protected String freshDatabase() {
    return MySqlServer.sharedMariaDb().freshDatabase();
  }
}
