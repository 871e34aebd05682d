/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.servers.PgBouncerServer;
import io.posthorn.servers.PostgresServer;
import io.posthorn.verification.check.Fault;
import java.time.Duration;

/** A connection pooler between all instances and the database, which can be killed. */
public final class FaultyPooler implements AutoCloseable {
  /**
   * What the URL of the database needs. Before version 1.21 PgBouncer knows nothing of prepared
   * statements; a session's name that is not in the startup packet may be lost or that of another
   * instance.
   */
  static final String URL_OPTIONS = "&prepareThreshold=0&assumeMinServerVersion=16";

  private final PgBouncerServer pooler;
  private final FaultInjector faults;

  private FaultyPooler(PgBouncerServer pooler, FaultInjector faults) {
    this.pooler = pooler;
    this.faults = faults;
  }

  static FaultyPooler start(PostgresServer server, FaultInjector faults) {
    PgBouncerServer pooler = new PgBouncerServer(server);
    pooler.start();
    return new FaultyPooler(pooler, faults);
  }

  int port() {
    return pooler.port();
  }

  /** Kills it, and starts it again at once. */
  public void kill() throws Exception {
    faults.inflictOnAll(
        Fault.Kind.POOLER_KILL,
        Duration.ZERO,
        () -> {
          pooler.kill();
          pooler.start();
        });
  }

  @Override
  public void close() {
    pooler.close();
  }
}
