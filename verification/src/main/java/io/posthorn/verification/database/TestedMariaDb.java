/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.database;

import io.posthorn.servers.DatabaseServer;
import io.posthorn.servers.MySqlServer;

/** MariaDB. */
final class TestedMariaDb extends TestedMySql {
  @Override
  public String label() {
    return "mariadb";
  }

  @Override
  public String lacks() {
    return "";
  }

  @Override
  public DatabaseServer start() {
    return started(MySqlServer.mariaDb());
  }

  /** Its driver takes values as they are. */
  @Override
  public String named(String url, String session) {
    return url + "&sessionVariables=" + variable(session);
  }

  @Override
  String timeoutState() {
    return "70100";
  }

  @Override
  int timeoutError() {
    return 1969;
  }
}
