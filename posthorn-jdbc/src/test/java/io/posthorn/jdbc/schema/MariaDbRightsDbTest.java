/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import io.posthorn.servers.MySqlServer;

class MariaDbRightsDbTest extends MySqlRightsContract {
  @Override
  MySqlServer server() {
    return MySqlServer.sharedMariaDb();
  }

  @Override
  String dialect() {
    return "mariadb";
  }
}
