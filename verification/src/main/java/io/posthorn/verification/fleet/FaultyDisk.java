/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.verification.check.Fault;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;

/** The disk of all tables, which can be full for a while. */
public final class FaultyDisk implements AutoCloseable {
  private final SmallDisk disk;
  private final FaultInjector faults;
  private final AttendedSleep sleep;

  private FaultyDisk(SmallDisk disk, FaultInjector faults, AttendedSleep sleep) {
    this.disk = disk;
    this.faults = faults;
    this.sleep = sleep;
  }

  /** Mounts it, and moves all tables there. */
  static FaultyDisk mount(ChaosDatabase database, FaultInjector faults, AttendedSleep sleep)
      throws IOException, SQLException {
    SmallDisk disk = SmallDisk.mount();
    database.moveTables(disk.place());
    return new FaultyDisk(disk, faults, sleep);
  }

  /** Nothing can be added to any table for a while. */
  public void fill(Duration time) throws Exception {
    faults.inflictOnAll(
        Fault.Kind.DISK_FULL,
        time,
        () -> {
          disk.fill();
          sleep.sleep(time);
          disk.free();
        });
  }

  @Override
  public void close() throws IOException {
    disk.close();
  }
}
