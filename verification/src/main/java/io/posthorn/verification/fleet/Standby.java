/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.servers.PostgresServer;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Set;

/** A server that follows the one in use, over a link that can be cut. */
final class Standby {
  private final PostgresServer server;
  private final FaultProxy link;

  private Standby(PostgresServer server, FaultProxy link) {
    this.server = server;
    this.link = link;
  }

  /** Copies the server in use, and follows it. */
  static Standby start(PostgresServer primary) throws IOException {
    FaultProxy link = FaultProxy.start(primary.port());
    Standby standby = new Standby(PostgresServer.standbyOf(primary, link.port()), link);
    standby.server.start();
    return standby;
  }

  /** What is committed from now on does not get here. */
  void cutOff() {
    link.cut(Set.of(FaultProxy.Direction.values()));
  }

  /** Takes the place of the primary, which must be dead. */
  PostgresServer promote() throws SQLException {
    server.promote();
    link.close();
    return server;
  }

  void close() {
    link.close();
    server.close();
  }
}
