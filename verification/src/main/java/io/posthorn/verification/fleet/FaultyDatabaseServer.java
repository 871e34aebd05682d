/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import static java.util.Objects.requireNonNull;

import io.posthorn.servers.DatabaseServer;
import io.posthorn.servers.PostgresBackup;
import io.posthorn.servers.PostgresServer;
import io.posthorn.verification.check.Fault;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The database server in use: it can be restarted, fail over to a standby, and be restored. */
public final class FaultyDatabaseServer implements AutoCloseable {
  private final ChaosDatabase database;
  private final InstanceGroup instances;
  private final FaultInjector faults;
  private final AttendedSleep sleep;
  private DatabaseServer server;
  private @Nullable Standby standby;

  /**
   * @param database learns when another server takes the place of this one, and so do the instances
   */
  FaultyDatabaseServer(
      DatabaseServer server,
      ChaosDatabase database,
      InstanceGroup instances,
      FaultInjector faults,
      AttendedSleep sleep) {
    this.server = server;
    this.database = database;
    this.instances = instances;
    this.faults = faults;
    this.sleep = sleep;
  }

  int port() {
    return server.port();
  }

  /** What no other database has is done in scenarios that are for this one only. */
  private PostgresServer postgres() {
    return (PostgresServer) server;
  }

  /**
   * @param crash whether it dies, or is stopped in the orderly way
   */
  public void restart(boolean crash, Duration away) throws Exception {
    faults.inflictOnAll(
        crash ? Fault.Kind.DATABASE_CRASH : Fault.Kind.DATABASE_STOP,
        away,
        () -> {
          if (crash) {
            server.crash();
          } else {
            server.stop();
          }
          sleep.sleep(away);
          server.start();
        });
  }

  /**
   * Gives the server a standby.
   *
   * @param synchronous whether commits wait for it from now on
   */
  public void addStandby(boolean synchronous)
      throws IOException, SQLException, InterruptedException {
    closeStandby(); // one that was not promoted, since such faults are left out
    standby = Standby.start(postgres());
    database.awaitStandby();
    if (synchronous) {
      database.waitForStandby();
    }
  }

  /**
   * The server dies and its standby takes its place.
   *
   * @param lag how long the standby had heard nothing
   * @param away until all find the new one
   */
  public void promoteStandby(boolean synchronous, Duration lag, Duration away) throws Exception {
    faults.inflictOnAll(
        synchronous ? Fault.Kind.PROMOTION : Fault.Kind.LAGGING_PROMOTION,
        lag.plus(away),
        () -> failOver(lag, away));
  }

  private void failOver(Duration lag, Duration away) throws SQLException, InterruptedException {
    Standby successor = requireNonNull(standby, "standby");
    standby = null;
    if (!lag.isZero()) {
      successor.cutOff();
      sleep.sleep(lag);
    }
    server.kill();
    DatabaseServer old = server;
    server = successor.promote();
    old.close();
    sleep.sleep(away);
    database.moveTo(server);
    instances.leadTo(server.port());
  }

  /**
   * A copy of the database.
   *
   * @param from what was committed later may not be in it
   */
  public record Copy(PostgresBackup backup, long from) {}

  /** Makes a copy of the database to go back to. */
  public Copy backUp() {
    long from = FaultLog.now();
    return new Copy(postgres().backUp(), from);
  }

  /** Brings an older state of the database back while everything runs. */
  public void restore(Copy copy, Duration away) throws Exception {
    try (PostgresBackup backup = copy.backup()) {
      faults.inflictOnAllSince(
          copy.from(),
          Fault.Kind.RESTORE,
          away,
          () -> {
            postgres().restore(backup);
            sleep.sleep(away);
            server.start();
          });
    }
  }

  @Override
  public void close() {
    closeStandby();
    server.close(); // it may have taken the place of the first one
  }

  private void closeStandby() {
    if (standby != null) {
      standby.close();
      standby = null;
    }
  }
}
